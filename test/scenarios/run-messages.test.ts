import { describe, expect, test } from 'vitest'
import type { Mail, Receipt } from '../../src/contract/mail.ts'
import type { Run } from '../../src/contract/runs.ts'
import { stores, storesInTurn } from '../kit/database.ts'
import { atRest, heard } from '../kit/records.ts'
import { boardBecomes, boardOf, nodesIn, resultsIn, stage, startRun, statuses, takeOn, workNode } from '../kit/runs.ts'
import { hasMail, parts, tell } from '../kit/script.ts'
import type { Reply, SeenRequest } from '../kit/vendor/reply.ts'
import { createWorld, type World } from '../kit/world.ts'

const noted = { text: 'Noted.' }

/** The session of each worker, by name. */
const workersOf = async (world: World, run: Run): Promise<Record<string, { id: string }>> =>
  Object.fromEntries((await boardOf(world, run)).workers.map(({ name, sessionId }) => [name, { id: sessionId! }]))

const write = (world: World, run: Run, body: Record<string, unknown>) =>
  world.ok<{ receipts: Receipt[] }>('POST', `/api/runs/${run.id}/messages`, body)

/** Three workers, each with a node of its own that it ends at once, unless its part says otherwise. */
const three = [
  {
    calls: ['Ann', 'Ben', 'Cyd'].flatMap((name) => [takeOn(name), workNode(`Part of ${name}`, { worker: name })]),
  },
  noted,
]

describe.each(stores)('messages in a run on %s', (store) => {
  test('while four workers are in open model calls, the coordinator answers the person in its next model call', async () => {
    const world = await createWorld({ store })
    const gate = Promise.withResolvers<void>()
    const pieces = ['One', 'Two', 'Three', 'Four'].map((name) => `Piece ${name}`)
    parts(world, {
      Goal: [{ calls: pieces.map((piece) => workNode(piece)) }, noted, { text: 'All four are at it.' }, noted],
      Piece: [{ text: 'Done.', delay: gate.promise }],
    })
    const run = await startRun(world, 'Goal')
    await world.eventually(async () => {
      const asked = world.vendor.requests.filter(({ lastUserText }) => lastUserText.includes('Piece'))
      return asked.length === 4 && (await world.look(run.sessionId)).status === 'idle'
    })
    const before = world.vendor.requests.length
    const { receipts } = await write(world, run, { content: 'How far are you?' })
    expect(await world.settled(receipts[0]!.mailId)).toMatchObject({ end: 'done', reply: 'All four are at it.' })
    expect(world.vendor.requests.length).toBe(before + 1)
    expect((await boardOf(world, run)).run.nodes).toEqual({ processing: 4 })
    gate.resolve()
    await boardBecomes(world, run, Object.fromEntries(pieces.map((piece) => [piece, 'finished'])))
    await atRest(world)
  })

  test('three workers exchange thirty messages, more than a wake budget and than a chain would let through', async () => {
    const world = await createWorld({ store, settings: { loop: { maxHops: 20, autoWakeBudget: 2 } } })
    const begun = allBegun(world)
    const words = Array.from({ length: 5 }, (_, at) => `Word ${at}`)
    const tellsBoth = (one: string, other: string): Reply[] => [
      ...words.map((word) => ({ calls: [tell(one, word), tell(other, word)], delay: begun })),
      noted,
    ]
    parts(world, {
      Goal: [...three, noted],
      'Part of Ann': tellsBoth('Ben', 'worker:Cyd'),
      'Part of Ben': tellsBoth('Ann', 'cyd'),
      'Part of Cyd': tellsBoth('ann', 'Ben'),
    })
    const run = await startRun(world, 'Goal')
    await world.eventually(async () => (await between(world, run)).length >= 30)
    await boardBecomes(world, run, { 'Part of Ann': 'finished', 'Part of Ben': 'finished', 'Part of Cyd': 'finished' })
    await atRest(world)
    expect((await between(world, run)).map(({ state }) => state)).toEqual(Array(30).fill('taken'))
    for (const worker of Object.values(await workersOf(world, run))) {
      const told = (await heard(world, worker)).join('\n')
      for (const word of words) expect(told.split(word)).toHaveLength(3)
      expect((await world.look(worker.id)).autoWakeBudget).toBe(2)
    }
    expect((await world.inbox()).filter(({ title }) => title.includes('stopped'))).toEqual([])
  })
})

describe.each(storesInTurn(import.meta.filename))('addresses in a run on %s', (store) => {
  test('a ring of workers is stopped by its chain, and the person is told once', async () => {
    const world = await createWorld({ store, settings: { loop: { maxHops: 7 } } })
    parts(world, {
      Goal: [...three, noted],
      'Part of Ann': [{ calls: [tell('Ben', 'Word 0')], delay: allBegun(world) }, passesOn('Ben', 100)],
      'Part of Ben': [passesOn('Cyd', 100)],
      'Part of Cyd': [passesOn('Ann', 100)],
    })
    const run = await startRun(world, 'Goal')
    await world.eventually(async () => (await between(world, run)).some(({ state }) => state === 'suppressed'))
    await atRest(world)
    expect((await between(world, run)).map(({ state }) => state)).toEqual(['suppressed', ...Array(7).fill('taken')])
    expect((await world.inbox()).filter(({ title }) => title.includes('7 hops'))).toHaveLength(1)
  })

  test('whoever works on a stage is written to by it, and nobody where nobody works on it', async () => {
    const world = await createWorld({ store })
    const gate = Promise.withResolvers<void>()
    const stageIn = (request: SeenRequest): string => /stage_[0-9a-f]+/.exec(resultsIn(request).join())![0]
    parts(world, {
      Goal: [
        { calls: [takeOn('Ann'), workNode('Slow', { worker: 'Ann' })] },
        (request) => ({ calls: [stage('Only', nodesIn(request))] }),
        (request) => ({
          calls: [tell(`stage:${stageIn(request)}`, 'Hurry'), tell('stage:stage_gone', 'Nobody')],
          delay: world.eventually(async () => (await statuses(world, run)).Slow === 'processing'),
        }),
        noted,
      ],
      Slow: [{ calls: [{ name: 'todo_read', input: {} }], delay: gate.promise }, noted],
    })
    const run = await startRun(world, 'Goal')
    await world.eventually(async () => (await world.results(run.sessionId)).length === 5)
    gate.resolve()
    await boardBecomes(world, run, { Slow: 'finished' })
    await atRest(world)
    const { Ann } = await workersOf(world, run)
    expect((await heard(world, Ann!)).filter((text) => text.includes('Hurry'))).toHaveLength(1)
    const refused = JSON.stringify((await world.results(run.sessionId))[4])
    expect(refused).toMatch(/Nobody works on .*stage_gone.*In the run there are coordinator, Ann/)
  })

  test('a member writes to the coordinator, to a node and to everyone; the person to a worker between its nodes, who answers', async () => {
    const world = await createWorld({ store })
    const gate = Promise.withResolvers<void>()
    parts(world, {
      Goal: [...three, noted],
      'Part of Ann': [
        { calls: [tell('coordinator', 'To the lead'), tell('*', 'To all'), tell('Ann', 'Me')], delay: allBegun(world) },
        { calls: [tell('worker:Dan', 'Who?'), { name: 'agent_message', input: { to: '*', message: 'All?' } }] },
        noted,
        { text: 'Ann is here.' },
      ],
      'Part of Ben': [{ text: 'Ben is done.' }, noted],
      'Part of Cyd': [
        (request) => ({
          calls: [tell(`node:${/node_[0-9a-f]+/.exec(request.lastUserText)![0]}`, 'Myself')],
          delay: gate.promise,
        }),
        noted,
      ],
    })
    const run = await startRun(world, 'Goal')
    await boardBecomes(world, run, { 'Part of Ann': 'finished', 'Part of Ben': 'finished' })
    const { Ann, Ben, Cyd } = await workersOf(world, run)
    const [lead, all, self, nobody, many] = (await world.results(Ann!.id)) as Record<string, unknown>[]
    expect(lead).toMatchObject({ created: false })
    expect(all).toMatchObject({ sent: [{}, {}, {}] })
    expect(JSON.stringify(self)).toContain('is yourself')
    expect(JSON.stringify(nobody)).toMatch(/Dan.*In the run there are coordinator, Ann, Ben, Cyd/)
    expect(JSON.stringify(many)).toContain('One is asked at a time')
    const { receipts } = await write(world, run, { to: 'Ann', content: 'Are you there?', clientId: 'there' })
    expect(await world.settled(receipts[0]!.mailId)).toMatchObject({ reply: 'Ann is here.' })
    expect(
      (await write(world, run, { to: 'ann', content: 'Are you there?', clientId: 'there' })).receipts,
    ).toHaveLength(1)
    gate.resolve()
    await boardBecomes(world, run, { 'Part of Cyd': 'finished' })
    await atRest(world)
    expect(JSON.stringify(await world.results(Cyd!.id))).toContain('is yourself')
    for (const one of [{ id: run.sessionId }, Ben!, Cyd!])
      expect((await heard(world, one)).filter((text) => text.includes('To all'))).toHaveLength(1)
    expect((await heard(world, Ann!)).filter((text) => text.includes('Are you there?'))).toHaveLength(1)
    expect((await boardOf(world, run)).nodes).toHaveLength(3)

    const everyone = await write(world, run, { to: '*', content: 'Thank you all' })
    expect(everyone.receipts).toHaveLength(4)
    await atRest(world)
    expect(await world.request('POST', `/api/runs/${run.id}/messages`, { to: 'Dan', content: 'Hello' })).toMatchObject({
      status: 404,
      body: { error: { code: 'address.unknown' } },
    })
    await world.ok('POST', `/api/runs/${run.id}/stop`)
    expect(await world.request('POST', `/api/runs/${run.id}/messages`, { to: 'Ann', content: 'Hello' })).toMatchObject({
      status: 409,
    })
    expect((await write(world, run, { content: 'Well done' })).receipts).toMatchObject([{ sessionId: run.sessionId }])
  })
})

/** Resolves once Ben and Cyd are asked for the first time: from then on they can be written to. */
const allBegun = (world: World): Promise<unknown> =>
  world.eventually(async () =>
    ['Ben', 'Cyd'].every((name) =>
      world.vendor.requests.some(({ lastUserText }) => lastUserText.includes(`Part of ${name}`)),
    ),
  )

/** Passes each word of another on, until it has written so many itself. */
const passesOn =
  (next: string, most: number) =>
  (request: SeenRequest): Reply => {
    const written = request.messages.flatMap(({ calls }) => calls).filter(({ name }) => name === 'agent_send').length
    const owes = hasMail(request) && request.lastUserText.includes('Word')
    return owes && written < most ? { calls: [tell(next, `Word ${written}`)] } : noted
  }

/** What members wrote to each other, the newest first. */
const between = async (world: World, run: Run): Promise<Mail[]> =>
  (await world.ok<{ items: Mail[] }>('GET', `/api/runs/${run.id}/messages?limit=200`)).items.filter(
    ({ from }) => from.kind === 'agent',
  )
