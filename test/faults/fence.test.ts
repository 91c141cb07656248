import { describe, expect, onTestFinished, test } from 'vitest'
import type { ToolCallPart } from '../../src/contract/messages.ts'
import type { StepResult } from '../../src/core/base/runtime.ts'
import { LeaseLost } from '../../src/core/base/transaction.ts'
import { deliver } from '../../src/core/mail/deliver.ts'
import { judge } from '../../src/core/permissions/judge.ts'
import { deleteSession } from '../../src/core/steering/lifecycle.ts'
import { advance, record } from '../../src/core/turns/advance.ts'
import { failTurn, giveUp, letGo, setAside } from '../../src/core/turns/break-off.ts'
import { endBroken } from '../../src/core/turns/broken.ts'
import { runCalls } from '../../src/core/turns/calls.ts'
import { tryModels } from '../../src/core/turns/fallbacks.ts'
import { planStep } from '../../src/core/turns/plan.ts'
import type { Next } from '../../src/core/turns/safe-point.ts'
import { openTurn, type Turn } from '../../src/core/turns/turn.ts'
import { parkForQuestion } from '../../src/core/waits/question.ts'
import { parkForTime } from '../../src/core/waits/timer.ts'
import { newId } from '../../src/lib/ids.ts'
import { suspectSessions, takeLeases } from '../../src/store/leases.ts'
import { fenceSession, findSession } from '../../src/store/sessions.ts'
import type { CallRow, Tables } from '../../src/store/tables.ts'
import { cast } from '../kit/cast.ts'
import { stores } from '../kit/database.ts'
import type { World } from '../kit/world.ts'
import { tables } from './rows.ts'
import { busyWorld, claim, secondEngine, takeOver } from './runners.ts'

const WRITES = 200
const FAR = Number.MAX_SAFE_INTEGER

/** The calls that write rows of their own, and what they are called with; a task id is put in where there is one. */
const writing: readonly { name: string; input: (taskId: string) => unknown }[] = [
  { name: 'todo_write', input: () => ({ todos: [{ content: 'zombie' }] }) },
  { name: 'log_write', input: () => ({ message: 'zombie' }) },
  { name: 'agent_send', input: () => ({ to: 'ben', message: 'zombie' }) },
  { name: 'agent_send', input: () => ({ to: 'human', message: 'zombie' }) },
  { name: 'agent_message', input: () => ({ to: 'ben', message: 'zombie' }) },
  { name: 'agent_spawn', input: () => ({ agent: 'ben', instruction: 'zombie' }) },
  { name: 'switch_to', input: () => ({ agent: 'ben' }) },
  { name: 'task_wait', input: (taskId) => ({ taskIds: [taskId] }) },
]

describe.each(stores)('on %s', (store) => {
  test(`of ${WRITES} writes of every kind by a runner whose session another took over, none is made`, async () => {
    const world = await busyWorld({ store, files: cast('ann', 'ben') })
    // Whom the tools write to is there already, so that a refused write is a refused write and not a lookup.
    await world.session({ agent: 'ben' })
    const zombies = [...(await ownWrites(world)), ...(await toolWrites(world))]
    const others = new Map<string, Awaited<ReturnType<typeof takeOver>>>()
    for (const { sessionId } of zombies) others.set(sessionId, await takeOver(world, sessionId))
    const before = await everything(world)

    let refused = 0
    while (refused < WRITES) {
      for (const { kind, write } of zombies) {
        await expect(write(), kind).rejects.toBeInstanceOf(LeaseLost)
        refused += 1
      }
    }
    expect(await everything(world)).toEqual(before)

    // The one who took over writes on.
    for (const { lease } of others.values()) await failTurn(world.server.core, lease)
    for (const id of others.keys()) expect((await findSession(world.server.core.store.read, id))?.status).toBe('error')
  })

  test('a call that had started when its turn broke gets an error that says its outcome is unknown', async () => {
    const world = await busyWorld({ store })
    const { turn } = await begin(world, 'assistant', 'runner', callOf('read_file', { path: 'a.txt' }))
    await failTurn(world.server.core, turn.lease)
    const parts = (await world.messages(turn.lease.sessionId)).at(-1)?.parts
    expect(parts).toMatchObject([{ output: 'interrupted; outcome unknown; not repeated', error: true }])
  })

  test('a deleted session has a higher fence: whoever ran it can not even set it aside', async () => {
    const world = await busyWorld({ store })
    const { core } = world.server
    const { turn } = await begin(world, 'assistant')
    const { sessionId, fence } = turn.lease
    await deleteSession(core, sessionId)
    const deleted = await everything(world)
    const row = (await findSession(core.store.read, sessionId))!
    expect(row).toMatchObject({ status: 'closed', fence: fence + 1 })
    expect(await core.store.write((db) => fenceSession(db, sessionId, fence))).toBeUndefined()
    await expect(setAside(core, turn.lease)).rejects.toBeInstanceOf(LeaseLost)
    await expect(advance(turn, { answer: says('zombie') })).rejects.toBeInstanceOf(LeaseLost)
    expect(await everything(world)).toEqual(deleted)
  })

  test('a start takes every lease that its predecessor held: what that one still writes is refused', async () => {
    const world = await busyWorld({ store })
    const { turn } = await begin(world, 'assistant', world.server.core.host)
    await world.restart()
    const before = await logOf(world, turn.lease.sessionId)
    await expect(advance({ ...turn, core: world.server.core }, { answer: says('zombie') })).rejects.toBeInstanceOf(
      LeaseLost,
    )
    expect(await logOf(world, turn.lease.sessionId)).toEqual(before)
  })

  test('a session that another holds is claimed by nobody, until its lease runs out', async () => {
    const world = await busyWorld({ store })
    const { core } = world.server
    const { id } = await world.session()
    await deliver(core, { to: id, from: { kind: 'human' }, content: 'Go' })
    const held = (await claim(world, id, 'first'))!
    expect(await claim(world, id, 'other')).toBeUndefined()

    const second = await secondEngine(world)
    second.engine.wake(id)
    await second.engine.stop()
    expect(await findSession(core.store.read, id)).toMatchObject({
      fence: held.lease.fence,
      lease_owner: 'first',
      attempts: 1,
    })

    const taken = await takeOver(world, id, 'other')
    expect(taken.row).toMatchObject({ lease_owner: 'other', fence: held.lease.fence + 1, attempts: 2 })
  })

  test('a session is suspected when nobody holds it: its lease ran out, or was taken away', async () => {
    const world = await busyWorld({ store })
    const { core } = world.server
    const { id } = await world.session()
    await deliver(core, { to: id, from: { kind: 'human' }, content: 'Go' })
    await claim(world, id, 'first')
    const until = (await findSession(core.store.read, id))!.lease_until!
    const suspectsAt = (now: number) =>
      suspectSessions(core.store.read, { host: core.host, attempts: 1, limit: 9, now })
    expect(await suspectsAt(until)).toEqual([])
    expect(await suspectsAt(until + 1)).toEqual([{ id, checks: 0 }])
    await core.store.write((db) => takeLeases(db, 'first'))
    expect(await suspectsAt(until)).toEqual([{ id, checks: 0 }])
  })
})

interface Zombie {
  readonly kind: string
  readonly sessionId: string
  write(): Promise<unknown>
}

async function tryAll(turn: Turn, models: readonly string[]): Promise<unknown> {
  const plan = await planStep(turn, models)
  if ('problem' in plan) throw new Error(plan.problem)
  const idOf = (attempt: number): string => `turn_zombie:1.${attempt}`
  return tryModels(turn, plan, { idOf }, async () => ({ result: failing('retry') }))
}

/** A turn of its own for each: what it writes, it writes first, since a turn that was refused is over. */
async function ownWrites(world: World): Promise<Zombie[]> {
  const { core } = world.server
  const kinds: Record<string, (turn: Turn, calls: readonly CallRow[]) => Promise<unknown>> = {
    'an answer': (turn) => advance(turn, { answer: says('zombie') }),
    'an answer with calls': async (turn) => {
      const call = callOf('read_file', { path: 'zombie.txt' })
      return advance(turn, { answer: { ...says('zombie'), parts: [call] }, verdicts: [await verdictOn(turn, call)] })
    },
    'a failure': (turn) => advance(turn, { failure: { reason: 'zombie' } }),
    'the release of its lease': (turn) => letGo(turn, {}),
    'the end of a turn that broke': (turn) => failTurn(core, turn.lease),
    'the end of a turn that was tried too often': (turn) => giveUp(core, turn.lease),
    'a session that is set aside': (turn) => setAside(core, turn.lease),
    'the end of a turn that cannot be run': (turn) => endBroken(core, turn.lease, 'zombie'),
    'a retry': (turn) => tryAll(turn, ['lab/test-model']),
    'a switch of models': (turn) => tryAll(turn, ['nowhere/zombie', 'lab/test-model']),
  }
  const withCalls: typeof kinds = {
    'a result': (turn, [call]) => record(turn, [ended(call!)]),
    'a result with the next step': (turn, [call]) => advance(turn, { outcomes: [ended(call!)] }),
    'a result at shutdown': (turn, [call]) => letGo(turn, { outcomes: [ended(call!)] }),
    'a question': (turn, [call]) =>
      record(turn, [{ call: call!, park: parkForQuestion({ question: 'zombie?' }, undefined, 0) }]),
    'a wait': (turn, [call]) => record(turn, [{ call: call!, park: parkForTime({ until: FAR, result: 'zombie' }) }]),
  }
  const zombies: Zombie[] = []
  for (const [kind, write] of Object.entries(kinds)) {
    const { turn } = await begin(world, 'assistant')
    zombies.push({ kind, sessionId: turn.lease.sessionId, write: () => write(turn, []) })
  }
  for (const [kind, write] of Object.entries(withCalls)) {
    const { turn, calls } = await begin(world, 'assistant', 'zombie-host', callOf('read_file', { path: 'a.txt' }))
    zombies.push({ kind, sessionId: turn.lease.sessionId, write: () => write(turn, calls) })
  }
  const { lease, row } = await wanted(world, 'assistant', 'zombie-host')
  zombies.push({ kind: 'a prompt', sessionId: row.id, write: () => openTurn(core, lease, row) })
  return zombies
}

/** Calls that had started, and reach the rows only now. */
async function toolWrites(world: World): Promise<Zombie[]> {
  const zombies: Zombie[] = []
  for (const { name, input } of writing) {
    const { turn, calls } = await begin(world, 'ann', 'zombie-host', callOf('agent_spawn', spawning))
    const made = await runCalls(turn, calls, FAR)
    const [spawned] = made.outcomes ?? []
    const { taskId = '' } = spawned && 'result' in spawned ? (spawned.result.output as { taskId?: string }) : {}
    await model(await advance(turn, made))
    const call = callOf(name, input(taskId))
    const next = await advance(turn, { answer: says('', call), verdicts: [await verdictOn(turn, call)] })
    // What it asks for is in the answer's row, as it must be; only what the call itself writes is of a zombie.
    if (next.do !== 'calls') throw new Error(`${name} does not run: ${JSON.stringify(next)}`)
    const run = next.calls.map((row) => ({ ...row }))
    zombies.push({ kind: name, sessionId: turn.lease.sessionId, write: () => runCalls(turn, run, FAR) })
  }
  return zombies
}

const spawning = { agent: 'ben', instruction: 'Wait', wait: false }

/** A turn in mid-air, run by the test: its first request is due, or the calls of its first answer have started. */
async function begin(world: World, agent: string, owner = 'zombie-host', ...calls: ToolCallPart[]) {
  const { lease, row } = await wanted(world, agent, owner)
  const turn = await openTurn(world.server.core, lease, row)
  if ('problem' in turn) throw new Error(turn.problem)
  onTestFinished(() => turn.stop.abort('the test is over'))
  await model(await advance(turn, {}))
  if (calls.length === 0) return { turn, calls: [] }
  const verdicts = await Promise.all(calls.map((call) => verdictOn(turn, call)))
  const next = await advance(turn, { answer: says('', ...calls), verdicts })
  if (next.do !== 'calls') throw new Error(`Its calls do not run: ${JSON.stringify(next)}`)
  return { turn, calls: next.calls }
}

async function wanted(world: World, agent: string, owner: string) {
  const { id } = await world.session({ agent })
  await deliver(world.server.core, { to: id, from: { kind: 'human' }, content: 'Go' })
  return (await claim(world, id, owner))!
}

async function model(next: Next): Promise<void> {
  if (next.do !== 'model') throw new Error(`It does not come to the model: ${JSON.stringify(next)}`)
}

const says = (text: string, ...calls: ToolCallPart[]) => ({
  role: 'assistant' as const,
  parts: text === '' ? calls : [{ type: 'text' as const, text }],
})

const callOf = (name: string, input: unknown): ToolCallPart => {
  const callId = newId('call')
  return { type: 'tool-call', callId, vendorCallId: callId, name, input }
}

const verdictOn = ({ setup }: Turn, call: ToolCallPart) => judge(setup.judge, call)

const ended = (call: CallRow) => ({ call, result: { output: 'zombie' }, final: true, durationMs: 1 })

const failing = (kind: 'retry' | 'switch'): StepResult => ({
  parts: [],
  tokens: { input: 0, output: 0, cached: 0, reasoning: 0 },
  finish: 'error',
  error: { kind, message: 'zombie', retryAfterMs: 1 },
})

const every = [...tables, 'prompts', 'chains', 'grants'] as const satisfies readonly (keyof Tables)[]

/** Every row there is, in an order of its own; how long leases last is left out, as the busy one is renewed. */
async function everything({ server }: World): Promise<Record<string, string[]>> {
  const rows: Record<string, string[]> = {}
  for (const table of every) {
    const found = await server.core.store.read.selectFrom(table).selectAll().execute()
    rows[table] = found.map((row) => JSON.stringify({ ...row, lease_until: undefined })).sort()
  }
  return rows
}

const logOf = async (world: World, id: string) => ({
  messages: await world.messages(id),
  events: (await world.events(id)).filter(({ type }) => !type.startsWith('session.')),
})
