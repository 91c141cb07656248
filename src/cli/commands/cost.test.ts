import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openDesk } from '../../../test/kit/desk.ts'
import { startVendor } from '../../../test/kit/vendor/server.ts'

test('a price that nobody knows is shown as unknown, and beside a known one as "at least", never as $0', async () => {
  const desk = openDesk()
  const vendor = await startVendor()
  onTestFinished(async () => {
    await desk.close()
    await vendor.close()
  })
  vendor.script(() => ({ text: 'Yes.', usage: { input: 1_000_000, output: 1 } }))
  const contextWindow = 10_000_000
  const prices = { 'test-model': { input: 1, output: 0, contextWindow }, other: { contextWindow } }
  const lab = { type: 'openai-compatible', baseURL: vendor.baseURL, prices }
  mkdirSync(desk.home, { recursive: true })
  writeFileSync(join(desk.home, 'settings.json'), JSON.stringify({ providers: { lab }, defaultModel: 'lab/other' }))

  const { session } = await desk.json('send', 'assistant', 'Hello')
  const shown = async (...words: string[]) => (await desk.run(...words)).out
  expect(await shown('sessions', 'show', session)).toMatch(/cost +unknown price \(the price of 1000001 tokens is not/)
  expect(await shown('sessions')).toMatch(/unknown price/)
  expect(await shown('status')).toMatch(/today +unknown price/)
  expect(await shown('cost')).toMatch(/unknown price[\s\S]*providers\.<name>\.prices/)

  await desk.json('sessions', 'model', session, 'lab/test-model')
  await desk.json('send', session, 'Again')
  expect(await shown('sessions', 'show', session)).toMatch(/cost +at least \$1\.00 \(the price of 1000001 tokens/)
  expect(await shown('sessions')).toMatch(/at least \$1\.00/)
  expect(await shown('status')).toMatch(/today +at least \$1\.00/)
  expect(await shown('cost')).toMatch(/at least \$1\.00/)
})
