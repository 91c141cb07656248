import { expect, onTestFinished, test, vi } from 'vitest'
import { stdioTransport } from './stdio.ts'

test('what was made for a program that was never started is given back when it is closed, once', async () => {
  const ended = vi.fn()
  const transport = stdioTransport({} as never, { errors: () => {}, ended }, () => ({}) as never)
  await transport.close()
  expect(ended.mock.calls).toEqual([[{ exitCode: null, signal: null }]])
  await transport.close()
  expect(ended).toHaveBeenCalledOnce()
  await expect(transport.send({ jsonrpc: '2.0', method: 'any' })).rejects.toThrow('The program has ended.')
})

/** A program of one line, and all that is heard of it until it has ended. */
async function heardOf(code: string): Promise<{ messages: unknown[]; errors: string }> {
  const messages: unknown[] = []
  const errors: string[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  const program = { program: [process.execPath, '-e', code] as const, cwd: process.cwd(), env: process.env }
  const heard = { errors: (text: string) => void errors.push(text), ended: () => {} }
  const transport = stdioTransport(program as never, heard, (line) => line as never)
  transport.onmessage = (message) => void messages.push(message)
  transport.onclose = resolve
  await transport.start()
  onTestFinished(() => transport.close())
  await promise
  return { messages, errors: errors.join('') }
}

test('a message is a line, in however many pieces it comes and however many come in one; another line is told', async () => {
  const long = `w('{"long":"'); for (let n = 0; n < 3000; n++) w('x'.repeat(1000)); w('"}\\n')`
  const { messages, errors } = await heardOf(
    `const w = (t) => require('node:fs').writeSync(1, t); w('{"n":1}\\n\\n{"n":2}\\nno '); w('json\\n'); ${long}; w('{"n":3')`,
  )
  expect(messages).toEqual([{ n: 1 }, { n: 2 }, { long: 'x'.repeat(3_000_000) }])
  expect(errors).toBe('no json\n')
})

test('a program that prints a line of more than 16 MB is ended', async () => {
  const flood = `const w = (t) => require('node:fs').writeSync(1, t); const piece = 'x'.repeat(65536)`
  const { messages, errors } = await heardOf(`${flood}; for (let n = 0; n < 1000; n++) w(piece)`)
  expect(messages).toEqual([])
  expect(errors).toBe('[it sent a message of more than 16 MB and was ended]\n')
})
