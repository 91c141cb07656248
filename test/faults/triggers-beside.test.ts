import { describe, expect, test, vi } from 'vitest'
import { stores } from '../kit/database.ts'
import { crashAt, dealt } from './crash.ts'
import { beside, besideBoundaries } from './trigger-beside-play.ts'

/**
 * After each commit, and before those that write more than a row. A point that is not passed is told as well. On
 * PostgreSQL, where only the commit is another, those after which there is more to do.
 */
const chosen = {
  sqlite: [
    ...besideBoundaries.map((name) => `${name}.after-commit:1`),
    ...['trigger.anew', 'trigger.stop', 'trigger.settled'].map((name) => `${name}.before-commit:1`),
  ],
  postgres: ['trigger.seen.after-commit:1', 'trigger.anew.after-commit:1'],
}

vi.setConfig({ maxConcurrency: 3 })

describe.concurrent.for(stores)('a crash beside the fires of triggers, on %s', (store) => {
  test.for(dealt(chosen[store], store === 'sqlite' ? 2 : 1))(
    'at %s and more ends each of them once',
    { timeout: 600_000 },
    async (some) => {
      expect(await crashAt(beside, store, some)).toEqual([])
    },
  )
})
