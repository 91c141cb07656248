import { describe, expect, test } from 'vitest'
import { act, cast } from '../kit/cast.ts'
import { storesInTurn } from '../kit/database.ts'
import { processesWith } from '../kit/processes.ts'
import { atRest, giveTask, taskBecomes, taskOf, tasks } from '../kit/records.ts'
import { askPerson, give, nap } from '../kit/script.ts'
import type { Reply } from '../kit/vendor/reply.ts'
import { createWorld, type World } from '../kit/world.ts'

const SLOTS = 6
/** Nobody else sleeps for so long. */
const LONG = `${90_000 + Math.floor(Math.random() * 9000)}.5`
const run = (command: string) => ({ calls: [{ name: 'bash', input: { command } }] })

/** What a leaf does, by the last word of its prompt. */
const leaves: Record<string, (gone: () => void) => Reply> = {
  stream: (gone) => ({ text: 'Never whole.', hang: true, gone }),
  command: () => run(`sleep ${LONG}`),
  approval: () => run('touch made'),
  question: () => ({ calls: [askPerson] }),
  timer: () => ({ calls: [nap] }),
  finished: () => ({ text: 'Done.' }),
  failed: () => ({ error: { kind: 'bad-request' } }),
}
const calm = ['approval', 'question', 'timer', 'finished', 'failed']
const late = { priority: 'low' }

/** Three branches of three twigs each, each with leaves; the first twig has a bough with more. Fifty tasks. */
function children(prompt: string): ReturnType<typeof give>[] {
  const [kind, ...path] = prompt.split(' ')
  const name = kind === 'Root' ? '' : path.join(' ')
  const three = (what: string) => [1, 2, 3].map((at) => give('ann', `${what} ${name}${at}`))
  const some = (words: readonly string[], more = {}) =>
    words.map((word, at) => give('ann', `Leaf ${name}${at} ${word}`, more))
  if (kind === 'Root') return three('Branch')
  if (kind === 'Branch') return three('Twig')
  if (kind === 'Bough') return some(['stream', 'command', ...calm], late)
  if (kind !== 'Twig') return []
  if (name === '11') return [give('ann', `Bough ${name}`), ...some(['stream', 'timer'], late)]
  return name === '12' ? [...some(calm), ...some(['command'], late)] : some(['stream', 'command', 'stream'], late)
}

const counts = async (world: World): Promise<Record<string, number>> => {
  const all = Map.groupBy(await tasks(world), ({ status }) => status)
  return Object.fromEntries([...all].map(([status, some]) => [status, some.length]))
}

describe.each(storesInTurn(import.meta.filename))('a tree of tasks on %s', (store) => {
  test('fifty of them, four deep and in every state, end with the first: no model call and no process is left', async () => {
    const permissions = { allow: [`bash(sleep ${LONG})`] }
    const files = cast({ ann: { limits: { maxSpawnDepth: 9 }, permissions } })
    const world = await createWorld({ store, files, settings: { limits: { maxConcurrentTasks: SLOTS } } })
    let [streams, gone] = [0, 0]
    world.vendor.script((request) => {
      const said = request.messages.some(({ role }) => role === 'assistant')
      const prompt = /(Root|Branch|Twig|Bough|Leaf) .*$/m.exec(request.messages[0]?.text ?? '')?.[0] ?? ''
      const given = children(prompt)
      if (given.length > 0) return said ? { text: 'Given.' } : { calls: given }
      const leaf = leaves[prompt.split(' ').at(-1)!]
      if (prompt.endsWith('stream')) streams++
      return leaf?.(() => void gone++) ?? { text: 'Alone.' }
    })
    const root = await giveTask(world, 'Root of all', { agent: 'ann' })
    // All are there, and those that hold slots hold all of them.
    const before = await world.eventually(async () => {
      const now = await counts(world)
      const whole = Object.values(now).reduce((sum, count) => sum + count, 0) === 50
      return whole && now.processing === SLOTS && processesWith(LONG).length > 0 && streams > 0 && now
    })
    expect(before).toMatchObject({ finished: expect.any(Number), failed: expect.any(Number) })
    expect(before.pending).toBeGreaterThan(5)
    expect(before.waiting).toBeGreaterThan(10)
    await act(world, (await taskOf(world, 'Leaf 122 timer', 'waiting')).session_id, 'pause')

    await world.ok('DELETE', `/api/tasks/${root.id}`)
    await world.eventually(async () => {
      const { pending = 0, processing = 0, waiting = 0 } = await counts(world)
      return pending + processing + waiting === 0
    })
    await atRest(world)
    const asked = world.vendor.requests.length
    expect(await counts(world)).toEqual({
      finished: before.finished,
      failed: before.failed,
      canceled: 50 - before.finished! - before.failed!,
    })
    await world.eventually(async () => gone === streams && processesWith(LONG).length === 0)
    expect(await world.inbox()).toEqual([])
    const sessions = await world.server.core.store.read.selectFrom('sessions').select('status').execute()
    expect(new Set(sessions.map(({ status }) => status))).toEqual(new Set(['closed']))
    // The slots are free again, and only what is new is asked.
    const next = await giveTask(world, 'Something else', { agent: 'ann' })
    await taskBecomes(world, next.id, 'finished')
    expect(world.vendor.requests.length).toBe(asked + 1)
  })
})
