import { Socket } from 'node:net'
import { shorten } from '../shorten.ts'

/** A server that takes mail. */
interface SmtpServer {
  readonly host: string
  readonly port: number
  readonly secure: boolean
  readonly user?: string
  readonly password?: string
}

interface OutgoingMail {
  /** The same for every try: a reader shows it once. */
  readonly id: string
  readonly from: string
  readonly to: readonly string[]
  readonly subject: string
  readonly text: string
}

const CONNECT_MS = 10_000
const SILENT_MS = 20_000
/** For all of it: a server that says a word now and then is never silent. */
const TOTAL_MS = 60_000
/** So much is told of what a server says against a mail. */
const SAID = 300

/** Hands one mail to a server; undefined when it took it, else why not. The library is loaded with the first mail. */
export async function sendMail(
  server: SmtpServer,
  mail: OutgoingMail,
  totalMs = TOTAL_MS,
): Promise<string | undefined> {
  const { createTransport } = await import('nodemailer')
  const { host, port, secure, user, password } = server
  const socket = new Socket()
  const late = setTimeout(() => socket.destroy(new Error(`it took longer than ${totalMs / 1000} s`)), totalMs)
  const transport = createTransport({
    host,
    port,
    secure,
    ...(user === undefined ? {} : { auth: { user, pass: password ?? '' }, requireTLS: !secure && !isLocal(host) }),
    socket,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENT_MS,
    // Nothing of a mail comes from a file or an address.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  try {
    await transport.sendMail({
      from: mail.from,
      to: [...mail.to],
      subject: mail.subject,
      text: mail.text,
      messageId: `<${mail.id}@troupe.local>`,
    })
    return undefined
  } catch (error) {
    return `The mail server ${host}:${port} did not take it: ${shorten(error instanceof Error ? error.message : String(error), SAID)}`
  } finally {
    clearTimeout(late)
    socket.destroy()
    transport.close()
  }
}

const isLocal = (host: string): boolean => /^(localhost|127\.\d+\.\d+\.\d+|::1)$/.test(host)
