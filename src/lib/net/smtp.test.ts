import { type AddressInfo, createServer, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { sendMail } from './smtp.ts'

const mail = { id: 'delivery_1', from: 'a@example.org', to: ['b@example.org'], subject: 'S', text: 'T' }

/** A mail server of which each connection is handled so. */
async function serve(handle: (socket: Socket) => void): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    handle(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

test('a server that says a word now and then, and never comes to an end, is left after the whole time', async () => {
  const left = Promise.withResolvers<void>()
  const port = await serve((socket) => {
    const words = setInterval(() => socket.write('220-one moment\r\n'), 10)
    socket.on('close', () => {
      clearInterval(words)
      left.resolve()
    })
  })
  const why = await sendMail({ host: '127.0.0.1', port, secure: false }, mail, 100)
  expect(why).toBe(`The mail server 127.0.0.1:${port} did not take it: it took longer than 0.1 s`)
  await left.promise
})

test('a password is not sent to another machine without TLS, and what a server says against a mail is told', async () => {
  const heard: string[] = []
  const port = await serve((socket) => {
    socket.write('220 here\r\n')
    socket.on('data', (data) => {
      heard.push(data.toString())
      socket.write(data.toString().startsWith('EHLO') ? '250 fine\r\n' : '550 not you\r\n')
    })
  })
  const why = await sendMail({ host: '127.0.0.1', port, secure: false }, mail)
  expect(why).toContain('not you')
  const login = { user: 'me', password: 'open-sesame' }
  // Not known to be this machine, though it is.
  const refused = await sendMail({ host: '0.0.0.0', port, secure: false, ...login }, mail)
  expect(refused).toContain('did not take it')
  expect(heard.length).toBeGreaterThan(1)
  expect(heard.join()).not.toContain('AUTH')
})

test('of a server that talks without end against a mail, a line is told', async () => {
  const port = await serve((socket) => socket.write(`550 ${'no '.repeat(20_000)}\r\n`))
  const why = await sendMail({ host: '127.0.0.1', port, secure: false }, mail)
  expect(why).toMatch(/did not take it: .*550 no no no .*…$/)
  expect(why!.length).toBeLessThan(400)
})
