import { describe, expect, test } from 'vitest'
import { conversation, crashAt, dealt, recordPoints } from './crash.ts'
import { namesInSource } from './points.ts'

const points = await recordPoints(conversation, 'sqlite')

describe.concurrent('a crash on SQLite', () => {
  test.for(dealt(points, 4))(
    'at %s and more loses nothing and does nothing twice',
    { timeout: 300_000 },
    async (some) => {
      expect(await crashAt(conversation, 'sqlite', some)).toEqual([])
    },
  )
})

/** Transactions that the conversation does not come by. A new name belongs into the scenario, or here. */
const elsewhere = [
  'inbox.dismiss',
  'mail.expire',
  'message.change',
  'model.retry',
  'model.switch',
  'session.cancel',
  'session.change',
  'session.clear',
  'session.close',
  'session.delete',
  'session.fork',
  'session.pause',
  'session.read',
  'session.reopen',
  'session.resume',
  'timer.resolve',
  'turn.fail',
  'turn.give-up',
  'turn.release',
]

test('every boundary in the source was crossed, or is known to lie elsewhere', () => {
  const inSource = namesInSource()
  const crossed = new Set(points.map((point) => point.slice(0, point.lastIndexOf(':'))))
  const others = new Set(elsewhere.flatMap((name) => [`${name}.before-commit`, `${name}.after-commit`]))
  expect(inSource.filter((name) => !crossed.has(name) && !others.has(name))).toEqual([])
  expect([...crossed, ...others].filter((name) => !inSource.includes(name))).toEqual([])
})
