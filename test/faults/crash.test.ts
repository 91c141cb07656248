import { describe, expect, test, vi } from 'vitest'
import { stores } from '../kit/database.ts'
import { compactionEnds } from './compaction-ends-play.ts'
import { compactionBoundaries } from './compaction-play.ts'
import { agents, BESIDE, conversation, crashAt, dealt, nameOf, once, ownOf, type Play, recordPoints } from './crash.ts'
import { moneyBoundaries } from './money-play.ts'
import { namesInSource } from './points.ts'
import { runBoundaries, runPlaces } from './run-play.ts'
import { besideBoundaries } from './trigger-beside-play.ts'
import { fireBoundaries } from './trigger-play.ts'
import { ofTasks, tasks } from './work.ts'

const LISTS = 5

const cases = await Promise.all(
  stores.flatMap((store) => [
    staged('in a conversation', conversation, store, (points) => once(points, store)),
    staged('while agents talk', agents, store, (points) => ownOf(points, store)),
    staged('while tasks are given, tried again and called off', tasks, store, (points) =>
      once(ofTasks(points), store, BESIDE),
    ),
  ]),
)

// More at once than there are cores, because a server that starts and a lease that runs out are waited for.
vi.setConfig({ maxConcurrency: 8 })

describe.concurrent.for(cases)('a crash on $store $during', ({ chosen, crash }) => {
  test.for(dealt(chosen, LISTS))(
    'at %s and more loses nothing and does nothing twice',
    { timeout: 600_000 },
    async (some) => {
      expect(await crash(some)).toEqual([])
    },
  )
})

/** Transactions that neither scenario comes by. A new name belongs into one of them, or here. */
const elsewhere = [
  'ask.answer',
  'ask.lapse',
  'changes.ask',
  'changes.unseen',
  'client.answer',
  'inbox.dismiss',
  'layout.put',
  'mail.expire',
  'mcp.back',
  'mcp.changed',
  'mcp.down',
  'memory.flag',
  'message.change',
  'model.queue',
  'model.retry',
  'model.switch',
  'ref.changed',
  'retention.deleted',
  'retention.session',
  'retention.told',
  'run.elsewhere',
  'run.next',
  'run.unwritten',
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
  'session.set-aside',
  'stage.lapse',
  'task.charge',
  'task.end',
  'task.wait-over',
  'timer.postpone',
  'trust.decided',
  'trust.lost',
  'turn.broken',
  'turn.fail',
  'turn.give-up',
  'turn.release',
  // What test/faults/money.test.ts crosses.
  ...moneyBoundaries,
  // What test/faults/runs.test.ts crosses.
  ...runBoundaries,
  // What test/faults/triggers.test.ts crosses.
  ...fireBoundaries,
  // What test/faults/compaction.test.ts crosses.
  ...compactionBoundaries,
  ...compactionEnds,
  // Of hooks, what test/faults/hooks.test.ts crosses.
  'end-hook.settle',
  'end-hook.try',
  'end-hook.wait',
  'tool.keep',
  // What test/faults/webhooks.test.ts crosses.
  'hook.settle',
  'hook.try',
  'hook.wait',
  // What test/faults/channels.test.ts crosses, and what stands beside it.
  ...['channel.route', 'channel.settle', 'channel.try', 'channel.used', 'channel.wait'],
  ...['everything.pause', 'everything.pause-one', 'everything.heeded', 'everything.resume', 'everything.resume-one'],
  ...['presence.end', 'presence.set'],
  // What test/faults/triggers-beside.test.ts, trigger-elsewhere.test.ts and retention.test.ts cross.
  ...besideBoundaries,
  'trigger.elsewhere',
  'retention.failed',
]

/** Places between transactions at which other tests kill. */
const places = [
  ...['restore.kept', 'restore.placed', 'retention.archived', 'retention.removed'],
  ...['trigger.prepared', 'hook.called', 'hook.heard', 'hook.ran', 'compaction.answered'],
  ...['mcp.before-call', 'mcp.after-call'],
  ...['channel.sent', 'everything.paused', 'everything.resumed'],
  ...runPlaces,
]

test('every boundary in the source was crossed, or is known to lie elsewhere', () => {
  const inSource = namesInSource()
  const crossed = new Set(cases.flatMap(({ store, points }) => (store === 'sqlite' ? points : [])).map(nameOf))
  const others = new Set([...places, ...elsewhere.flatMap((name) => [`${name}.before-commit`, `${name}.after-commit`])])
  expect(inSource.filter((name) => !crossed.has(name) && !others.has(name))).toEqual([])
  expect([...crossed, ...others].filter((name) => !inSource.includes(name))).toEqual([])
  expect([...others].filter((name) => crossed.has(name))).toEqual([])
})

/** What a play passes on a store, what of it is crashed at, and how. */
async function staged<T>(
  during: string,
  play: Play<T>,
  store: (typeof stores)[number],
  choose: (points: string[]) => string[],
) {
  const points = await recordPoints(play, store)
  return { store, during, points, chosen: choose(points), crash: (some: string[]) => crashAt(play, store, some) }
}
