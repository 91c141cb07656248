import { expect, test } from 'vitest'
import { timeIn } from '../../web/src/state/why-time.ts'

test('the time in a line of why is found with the words around it', () => {
  expect(timeIn('coder 77dd waits for your answer, for 1h 2m (since 2026-11-18 13:38:06 UTC).')).toEqual({
    before: 'coder 77dd waits for your answer, ',
    since: '2026-11-18T13:38:06Z',
    behind: '.',
  })
  expect(timeIn('The run is over.')).toBeUndefined()
})
