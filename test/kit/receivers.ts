import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { onTestFinished } from 'vitest'

/** One request that a receiver of webhooks got. */
export interface Posted {
  readonly headers: Record<string, string | string[] | undefined>
  readonly text: string
  readonly body: Record<string, unknown>
}

/** Somebody else's server that takes webhooks; it answers with `status`, and not before `until`; both can be changed. */
export async function openReceiver() {
  const posted: Posted[] = []
  const receiver = { posted, status: 200, url: '', until: Promise.resolve() }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString()
      posted.push({ headers: request.headers, text, body: JSON.parse(text) })
      void receiver.until.then(() => response.writeHead(receiver.status).end())
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  return receiver
}

/** A mail server that takes what this user sends. */
export async function openMailServer(user: string, password: string) {
  const mails: { from: string; to: string[]; text: string }[] = []
  const server = new SMTPServer({
    authOptional: false,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    onAuth: (auth, _session, done) =>
      auth.username === user && auth.password === password ? done(null, { user }) : done(new Error('Wrong password')),
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address
        mails.push({ from, to: envelope.rcptTo.map(({ address }) => address), text: Buffer.concat(chunks).toString() })
        done()
      })
    },
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { mails, port: (server.server.address() as AddressInfo).port }
}
