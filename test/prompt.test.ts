import { expect, test } from 'vitest'
import { fixedInRun, fixedPart, servers, sum } from '../bench/prompt/prompt.ts'

// bench/prompt has the goals; these are ceilings, so that nothing grows by accident.
test('what every request carries stays small, also with five hundred tools of servers', async () => {
  const plain = await fixedPart('assistant', 'task')
  expect(plain.prompt).toBeGreaterThan(300)
  expect(plain.schemas).toBeGreaterThan(500)
  expect(sum(plain)).toBeLessThan(2900)
  expect(sum(await fixedPart('assistant', 'task', [servers()])) - sum(plain)).toBeLessThan(1000)
})

test('the members of a run carry little more, with the tools they have there', async () => {
  const { coordinator, worker } = await fixedInRun()
  expect(worker.prompt).toBeGreaterThan(300)
  expect(sum(worker)).toBeLessThan(2900)
  expect(sum(coordinator)).toBeLessThan(3900)
})
