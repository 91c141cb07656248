import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Core } from '../../src/core/base/core.ts'
import { createBus } from '../../src/core/base/events.ts'
import { asRunner, transact } from '../../src/core/base/transaction.ts'
import { rest } from '../../src/core/sessions/row.ts'
import { createTask, type TaskPlan } from '../../src/core/tasks/create.ts'
import { taskEnds } from '../../src/core/tasks/end.ts'
import { claim } from '../../src/core/tasks/slots.ts'
import { newId } from '../../src/lib/ids.ts'
import { noLog } from '../../src/lib/log.ts'
import type { Store } from '../../src/store/store.ts'
import { CLAIMERS } from './job.ts'

/** The rules over a store, without an engine: whoever creates a task claims it and ends it. */
export function openOurs(store: Store, folder: string) {
  const home = join(folder, 'home')
  mkdirSync(home, { recursive: true })
  writeFileSync(join(home, 'settings.json'), JSON.stringify({ limits: { maxConcurrentTasks: CLAIMERS } }))
  const project = { id: 'p', path: folder }
  const parts = { home, env: {}, flags: {}, clock: { now: Date.now }, log: noLog, mask: (text: string) => text }
  const hints = { wake: () => {}, alarm: () => {} }
  const core = { ...parts, ...hints, bus: createBus(), store, host: 'one', project } as unknown as Core
  const plan: TaskPlan = {
    project,
    agent: 'writer',
    mode: 'task',
    workspace: folder,
    place: { host: null, moves: 0 },
    chainLimits: { maxHops: 32, maxTasksPerChain: 200, autoWakeBudget: 6 },
    maxWaitMs: 3_600_000,
  }
  return async (): Promise<void> => {
    const order = { input: { prompt: 'Dig' }, from: { kind: 'human' }, chain: { id: newId('chain'), hops: 0 } } as const
    const made = await transact(core, 'bench.create', (tx) => createTask(core, tx, plan, order))
    if ('refused' in made) throw new Error(made.refused)
    const sessionId = made.session.id
    let session: Awaited<ReturnType<typeof claim>>
    // One that finds all slots taken at that moment comes again, as one that a freed slot wakes.
    while (session === undefined) session = await claim(core, sessionId, { leaseMs: 60_000, countsTo: 2 })
    const lease = { sessionId, fence: session.fence, signal: new AbortController().signal }
    await asRunner(core, lease, 'bench.finish', async (tx, row) => {
      rest(row, 'idle', null)
      await taskEnds(tx, row, 'done', 'Done.')
    })
  }
}
