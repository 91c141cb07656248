import { expect, test } from 'vitest'
import { fixedPart, servers, sum } from '../bench/prompt/prompt.ts'

// bench/prompt has the goals; these are ceilings, so that nothing grows by accident.
test('what every request carries stays small, also with five hundred tools of servers', async () => {
  const plain = await fixedPart('assistant', 'task')
  expect(plain.prompt).toBeGreaterThan(300)
  expect(plain.schemas).toBeGreaterThan(500)
  expect(sum(plain)).toBeLessThan(2900)
  expect(sum(await fixedPart('assistant', 'task', [servers()])) - sum(plain)).toBeLessThan(1000)
})
