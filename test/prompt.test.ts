import { expect, test } from 'vitest'
import { fixedInRun, fixedPart, servers, sum } from '../bench/prompt/prompt.ts'

// The goals of bench/prompt, so that nothing grows by accident.
test('what every request carries stays small, also with five hundred tools of servers', async () => {
  const plain = await fixedPart('assistant', 'task')
  expect(plain.prompt).toBeGreaterThan(300)
  expect(plain.schemas).toBeGreaterThan(500)
  expect(sum(plain)).toBeLessThanOrEqual(2500)
  expect(sum(await fixedPart('coordinator', 'task'))).toBeLessThanOrEqual(2500)
  expect(sum(await fixedPart('assistant', 'task', [servers()])) - sum(plain)).toBeLessThan(1000)
})

test('a worker of a run carries no more, its coordinator the tools of the board besides', async () => {
  const { coordinator, worker } = await fixedInRun()
  expect(worker.prompt).toBeGreaterThan(300)
  expect(sum(worker)).toBeLessThanOrEqual(2500)
  expect(sum(coordinator)).toBeLessThanOrEqual(3600)
})
