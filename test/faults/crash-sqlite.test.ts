import { describe, expect, test } from 'vitest'
import { agents, conversation, crashAt, dealt, nameOf, recordPoints } from './crash.ts'
import { namesInSource } from './points.ts'

const points = await recordPoints(conversation, 'sqlite')

describe.concurrent('a crash on SQLite', () => {
  test.for(dealt(points, 4))(
    'at %s and more loses nothing and does nothing twice',
    { timeout: 600_000 },
    async (some) => {
      expect(await crashAt(conversation, 'sqlite', some)).toEqual([])
    },
  )
})

/** Transactions that neither scenario comes by. A new name belongs into one of them, or here. */
const elsewhere = [
  'ask.answer',
  'ask.lapse',
  'inbox.dismiss',
  'mail.expire',
  'message.change',
  'model.retry',
  'model.switch',
  'session.back',
  'session.change',
  'session.clear',
  'session.close',
  'session.delete',
  'session.fork',
  'session.pause',
  'session.promote',
  'session.read',
  'session.reopen',
  'session.resume',
  'task.charge',
  'task.end',
  'task.wait-over',
  'timer.postpone',
  'turn.broken',
  'turn.fail',
  'turn.give-up',
  'turn.release',
]

test('every boundary in the source was crossed, or is known to lie elsewhere', async () => {
  const inSource = namesInSource()
  const crossed = new Set([...points, ...(await recordPoints(agents, 'sqlite'))].map(nameOf))
  const others = new Set(elsewhere.flatMap((name) => [`${name}.before-commit`, `${name}.after-commit`]))
  expect(inSource.filter((name) => !crossed.has(name) && !others.has(name))).toEqual([])
  expect([...crossed, ...others].filter((name) => !inSource.includes(name))).toEqual([])
  expect([...others].filter((name) => crossed.has(name))).toEqual([])
})
