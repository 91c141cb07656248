import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Task } from '../../src/contract/tasks.ts'
import { countSlotsTaken } from '../../src/store/slots.ts'
import { stores } from '../kit/database.ts'
import { atRest, giveTask, tasks } from '../kit/records.ts'
import { askPerson, nap } from '../kit/script.ts'
import { createWorld } from '../kit/world.ts'

const SLOTS = 3

/** What a task does first, and what a person does to one of them. */
const act = fc.oneof(
  fc.record({
    give: fc.constantFrom('work', 'nap', 'ask', 'fail'),
    priority: fc.constantFrom('high', 'normal', 'low'),
  }),
  fc.record({ to: fc.nat(), does: fc.constantFrom('cancel', 'pause', 'resume', 'respond', 'retry', 'message') }),
)

test.each(stores)(
  'whatever is done to tasks, no slot is given twice and none is lost, on %s',
  { timeout: 240_000 },
  async (store) => {
    const world = await createWorld({ store, settings: { limits: { maxConcurrentTasks: SLOTS } } })
    const db = world.server.core.store.read
    world.vendor.script(({ messages, lastUserText }) => {
      const said = messages.some(({ role }) => role === 'assistant')
      if (said || lastUserText.includes('work')) return { text: 'Done.' }
      if (lastUserText.includes('nap')) return { calls: [nap] }
      return lastUserText.includes('ask') ? { calls: [askPerson] } : { error: { kind: 'bad-request' } }
    })
    let most = 0
    const off = world.server.core.bus.onCommit((events) => {
      if (events.some(({ type }) => type.startsWith('task.')))
        void countSlotsTaken(db, world.server.core.host).then((taken) => {
          most = Math.max(most, taken)
        })
    })
    const given: Task[] = []
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 4, maxLength: 10 }), async (acts) => {
        for (const one of acts) {
          if ('give' in one) given.push(await giveTask(world, one.give, { priority: one.priority }))
          const task = given[('to' in one ? one.to : 0) % Math.max(1, given.length)]
          if (!('does' in one) || task === undefined) continue
          const at = ['cancel', 'respond', 'retry'].includes(one.does) ? `tasks/${task.id}` : `sessions/${task.session}`
          const path = { cancel: '', message: '/messages' }[one.does as string] ?? `/${one.does}`
          const body = { respond: { message: 'Yes' }, message: { content: 'More' } }[one.does as string]
          // A conflict with the state it is in is an answer too.
          const answer = await world.call(one.does === 'cancel' ? 'DELETE' : 'POST', `/api/${at}${path}`, { body })
          expect(answer.status).toBeLessThan(500)
        }
      }),
      { numRuns: 12 },
    )
    await atRest(world)
    off()
    expect(most).toBeLessThanOrEqual(SLOTS)
    expect(await countSlotsTaken(db, world.server.core.host)).toBe(0)
    expect((await tasks(world)).filter(({ status }) => status === 'processing')).toEqual([])
    // As many as there are slots can work at once again.
    const last = await Promise.all(Array.from({ length: SLOTS }, () => giveTask(world, 'work', { priority: 'high' })))
    await atRest(world)
    const ends = (await tasks(world)).filter(({ id }) => last.some((task) => task.id === id))
    expect(ends.map(({ status }) => status)).toEqual(last.map(() => 'finished'))
  },
)
