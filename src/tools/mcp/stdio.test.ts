import { expect, test, vi } from 'vitest'
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
