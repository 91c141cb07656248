import { describe, expect, test } from 'vitest'
import { cast } from '../kit/cast.ts'
import { storesInTurn } from '../kit/database.ts'
import { atRest, mails, notices, sessions, tasks } from '../kit/records.ts'
import { hasMail, playedBy, spawn, tasksIn, tell, waitFor } from '../kit/script.ts'
import type { SeenRequest } from '../kit/vendor/reply.ts'
import { createWorld, type World } from '../kit/world.ts'

const BUDGET = 6

/** Each member answers every message with one to those that come so far behind it; whoever is none begins with the first. */
function chatter(world: World, names: readonly string[], steps: readonly number[] = [1]): void {
  world.vendor.script((request) => {
    if (!hasMail(request)) return { text: 'Sent.' }
    if (request.lastUserText.includes('enough')) return { text: 'Quiet now.' }
    const at = names.indexOf(playedBy(request))
    const others = steps.map((step) => names[(at + step) % names.length]!)
    return { calls: others.map((name) => tell(name, `${names[at]} answers`)) }
  })
}

const names = (count: number) => Array.from({ length: count }, (_, at) => `member${at}`)

const inStates = async (world: World) => {
  const all = (await mails(world)).filter(({ from_kind }) => from_kind === 'agent')
  const count = (state: string) => all.filter((mail) => mail.state === state).length
  // Whatever was taken is in a log, once.
  const db = world.server.core.store.read
  const logged = await db.selectFrom('messages').select('mail_id').where('from_kind', '=', 'agent').execute()
  expect(logged.map(({ mail_id }) => mail_id).toSorted()).toEqual(
    all
      .filter(({ state }) => state === 'taken')
      .map(({ id }) => id)
      .toSorted(),
  )
  return { all: all.length, taken: count('taken'), suppressed: count('suppressed') }
}

const isDig = ({ messages }: SeenRequest): boolean => messages[0]?.text.includes('Dig') ?? false

const goOn = (world: World, id: string) => world.ok('POST', `/api/inbox/${id}/answer`, { answer: 'go on' })

describe.each(storesInTurn(import.meta.filename))('loops of agents on %s', (store) => {
  test.each(store === 'sqlite' ? [2, 3, 5] : [3])(
    'a ring of %i that always answers stops at the wake budget with one notice',
    async (count) => {
      const ring = names(count)
      const world = await createWorld({ store, files: cast(...ring) })
      chatter(world, ring)
      const first = await world.session({ agent: ring[0] })
      await world.send(first.id, 'Start')
      await atRest(world)
      const [notice, ...more] = await world.inbox()
      expect(more).toEqual([])
      expect(notice).toMatchObject({
        kind: 'notice',
        options: ['go on'],
        title: expect.stringContaining('loop.autoWakeBudget'),
      })
      for (const name of ring)
        expect(notice!.body).toMatch(new RegExp(`${name} [0-9a-f]+ → member\\d [0-9a-f]+: ${name} answers`))
      expect(await inStates(world)).toEqual({ all: BUDGET * count + 1, taken: BUDGET * count, suppressed: 1 })
      const told = (await world.results(first.id)).at(-1)
      expect(told).toMatchObject({ outcome: 'suppressed', note: expect.stringContaining('Do not send it again') })

      await goOn(world, notice!.id)
      expect((await world.request('POST', `/api/inbox/${notice!.id}/answer`, { answer: 'go on' })).status).toBe(409)
      await atRest(world)
      const [second, ...others] = await world.inbox()
      expect(others).toEqual([])
      expect(second!.id).not.toBe(notice!.id)
      expect(await inStates(world)).toEqual({ all: BUDGET * count * 2 + 1, taken: BUDGET * count * 2, suppressed: 1 })
    },
  )

  test('with a budget for more, a ring stops at the hops of its chain, and again as far after "go on"', async () => {
    const ring = names(3)
    const settings = { loop: { autoWakeBudget: 1000, maxHops: 10 } }
    const world = await createWorld({ store, files: cast('starter', ...ring), settings })
    chatter(world, ring)
    // From outside the ring: what a person's own turn causes is one hop, however much mail that turn takes.
    const first = await world.session({ agent: 'starter' })
    await world.send(first.id, 'Start')
    await atRest(world)
    expect(await inStates(world)).toEqual({ all: 11, taken: 10, suppressed: 1 })
    const [notice] = await world.inbox()
    expect(notice).toMatchObject({ title: expect.stringContaining('10 hops') })
    await goOn(world, notice!.id)
    await atRest(world)
    expect(await inStates(world)).toEqual({ all: 21, taken: 20, suppressed: 1 })
    const after = await world.inbox()
    expect(after).toMatchObject([{ title: expect.stringContaining('20 hops') }])
    expect((await mails(world)).map(({ hops }) => hops).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 22 }, (_, at) => at),
    )
  })

  test('a mesh of 8 where each answers all others stops with one notice, and no mail is lost', async () => {
    const mesh = names(8)
    const world = await createWorld({ store, files: cast(...mesh) })
    chatter(world, mesh, mesh.keys().drop(1).toArray())
    const [first] = await Promise.all(mesh.map((agent) => world.session({ agent })))
    await world.send(first!.id, 'Start')
    await atRest(world)
    expect(await world.inbox()).toMatchObject([{ kind: 'notice', options: ['go on'] }])
    const { all, taken, suppressed } = await inStates(world)
    expect(suppressed).toBeGreaterThan(0)
    expect(taken + suppressed).toBe(all)
    const stopped = new Set(
      (await mails(world)).flatMap((mail) => (mail.state === 'suppressed' ? [mail.session_id] : [])),
    )
    for (const { id, autoWakeBudget } of await sessions(world)) {
      const took = (await world.messages(id)).filter(({ from }) => from?.kind === 'agent').length
      expect(autoWakeBudget).toBe(BUDGET - took)
      if (stopped.has(id)) expect(autoWakeBudget).toBe(0)
    }
  })

  test('agents that make a new session for every message come to the number of tasks a chain may have', async () => {
    const settings = { loop: { maxTasksPerChain: 5 } }
    const world = await createWorld({ store, files: cast('ann'), settings })
    const anew = tell('ann', 'Go on', { session: 'create' })
    world.vendor.script((request) => (hasMail(request) ? { calls: [anew, anew] } : { text: 'Sent.' }))
    const first = await world.session({ agent: 'ann' })
    await world.send(first.id, 'Start')
    await atRest(world)
    const { all, taken, suppressed } = await inStates(world)
    expect([taken + suppressed, await world.inbox()]).toMatchObject([all, [{ kind: 'notice', options: ['go on'] }]])
    // Messages to different sessions at the same moment do not see each other on PostgreSQL; each wakes one at most.
    expect(taken).toBeGreaterThanOrEqual(5)
    expect(taken).toBeLessThanOrEqual(store === 'sqlite' ? 5 : 9)
  })

  test("a person's mail fills the budget, lets through what was stopped, and the notice goes away", async () => {
    const ring = names(2)
    const world = await createWorld({ store, files: cast(...ring) })
    chatter(world, ring)
    const first = await world.session({ agent: ring[0] })
    await world.send(first.id, 'Start')
    await atRest(world)
    const stopped = (await mails(world)).find(({ state }) => state === 'suppressed')!
    const reply = await world.say(stopped.session_id, 'That is enough')
    expect(reply).toMatchObject({ outcome: 'started', reply: 'Quiet now.' })
    await atRest(world)
    expect(await world.inbox()).toEqual([])
    expect(await inStates(world)).toEqual({ all: 13, taken: 13, suppressed: 0 })
    // What was stopped is taken with it, from a full budget.
    expect((await world.look(stopped.session_id)).autoWakeBudget).toBe(BUDGET - 1)
  })

  test("a person's mail begins a chain of its own", async () => {
    const ring = names(2)
    const world = await createWorld({
      store,
      files: cast('starter', ...ring),
      settings: { loop: { autoWakeBudget: 1000, maxHops: 4 } },
    })
    chatter(world, ring)
    const first = await world.session({ agent: 'starter' })
    for (const content of ['Start', 'Once more']) {
      await world.send(first.id, content)
      await atRest(world)
    }
    const chains = Map.groupBy(await mails(world), ({ chain_id }) => chain_id)
    expect([...chains.values()].map((mail) => mail.map(({ hops }) => hops).toSorted())).toEqual([
      [0, 1, 2, 3, 4, 5],
      [0, 1, 2, 3, 4, 5],
    ])
    expect(await world.inbox()).toHaveLength(2)
  })

  test('a ring through children and their notices stops at the hops of its chain and is told when it may go on', async () => {
    const world = await createWorld({ store, settings: { loop: { autoWakeBudget: 1, maxHops: 7 } } })
    const parent = await world.session()
    world.vendor.script(async (request) => {
      // Done only when its parent is: a notice that comes in the person's own turn is not a hop further.
      if (isDig(request)) return (await world.reaches(parent.id, 'idle')) && { text: 'Dug.' }
      return hasMail(request) ? { calls: [spawn('researcher', 'Dig', { wait: false })] } : { text: 'On its way.' }
    })
    await world.send(parent.id, 'Again and again')
    await atRest(world)
    // A task and its notice are one hop each: 1, 3, 5, 7.
    expect((await tasks(world)).map(({ hops, status }) => [hops, status])).toEqual(
      [1, 3, 5, 7].map((hops) => [hops, 'finished']),
    )
    expect(await notices(world, parent.id)).toHaveLength(4)
    // Notices of the system spend nothing of a budget of one.
    expect((await world.look(parent.id)).autoWakeBudget).toBe(1)
    const refused = (await world.results(parent.id)).at(-1)
    expect(refused).toMatch(/Nothing was started: .*loop\.maxHops.*Do not try again by yourself/)
    const [notice, ...more] = await world.inbox()
    expect(more).toEqual([])
    expect(notice).toMatchObject({ kind: 'notice', options: ['go on'], body: expect.stringContaining('Dig') })

    await goOn(world, notice!.id)
    await atRest(world)
    expect(await tasks(world)).toHaveLength(8)
    expect((await notices(world, parent.id)).filter((text) => text.includes('may be done now'))).toHaveLength(1)
    expect(await world.inbox()).toHaveLength(1)
  })

  test('children that make children and wait for them stop at the depth, and all of them end', async () => {
    const world = await createWorld({ store, files: cast('digger') })
    world.vendor.script((request) =>
      hasMail(request) ? { calls: [spawn('digger', 'Deeper')] } : { text: 'That is it.' },
    )
    const first = await world.session({ agent: 'digger' })
    expect(await world.say(first.id, 'Dig')).toMatchObject({ end: 'done', reply: 'That is it.' })
    expect((await tasks(world)).map(({ status }) => status)).toEqual(['finished', 'finished', 'finished'])
    const deepest = (await tasks(world)).at(-1)!
    expect(await world.results(deepest.session_id)).toEqual([expect.stringContaining('limits.maxSpawnDepth')])
    expect(await world.inbox()).toEqual([])
  })

  test('children that make children stop at the hops of the chain where the depth is free', async () => {
    const files = cast({ digger: { limits: { maxSpawnDepth: 10 } } })
    const world = await createWorld({ store, files, settings: { loop: { maxHops: 5 } } })
    world.vendor.script((request) =>
      hasMail(request) ? { calls: [spawn('digger', 'Deeper')] } : { text: 'That is it.' },
    )
    const first = await world.session({ agent: 'digger' })
    expect(await world.say(first.id, 'Dig')).toMatchObject({ end: 'done', reply: 'That is it.' })
    expect((await tasks(world)).map(({ hops, status }) => [hops, status])).toEqual(
      [1, 2, 3, 4, 5].map((hops) => [hops, 'finished']),
    )
    expect(await world.results((await tasks(world)).at(-1)!.session_id)).toEqual([
      expect.stringContaining('loop.maxHops'),
    ])
    expect(await world.inbox()).toMatchObject([{ kind: 'notice', options: ['go on'] }])
  })

  test('a chain of task_wait stops at its number of tasks; one notice, and "go on" gives as many again', async () => {
    const world = await createWorld({ store, settings: { loop: { maxTasksPerChain: 3 } } })
    const parent = await world.session()
    world.vendor.script(async (request) => {
      if (isDig(request)) return (await world.reaches(parent.id, 'waiting')) && { text: 'Dug.' }
      const result = request.messages.at(-1)?.results[0]?.text ?? ''
      if (result.includes('Nothing was started')) return { text: 'I was stopped.' }
      if (result.includes('"pending"')) return { calls: [waitFor(tasksIn(request).slice(-1))] }
      return { calls: [spawn('researcher', 'Dig', { wait: false })] }
    })
    expect(await world.say(parent.id, 'On and on')).toMatchObject({ end: 'done', reply: 'I was stopped.' })
    expect((await tasks(world)).map(({ status }) => status)).toEqual(['finished', 'finished', 'finished'])
    const [notice, ...more] = await world.inbox()
    expect(more).toEqual([])
    expect(notice!.title).toContain('loop.maxTasksPerChain')
    await goOn(world, notice!.id)
    await atRest(world)
    expect(await tasks(world)).toHaveLength(6)
    expect(await world.inbox()).toHaveLength(1)
    // It was told by its own calls; nothing came a second time as mail.
    expect((await notices(world, parent.id)).filter((text) => text.includes('task_'))).toEqual([])
  })
})
