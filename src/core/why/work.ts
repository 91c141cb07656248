import { hookedOf, openCalls } from '../../store/calls.ts'
import { latestCompaction } from '../../store/compactions.ts'
import type { CallRow, SessionRow } from '../../store/tables.ts'
import { findTurn } from '../../store/turns.ts'
import { newestEvent } from '../../store/why.ts'
import type { Closure } from '../base/index.ts'
import { projectOfSession } from '../sessions/index.ts'
import { described, line, listed, moment, type Named, person, wakes } from '../waits/index.ts'
import { hookNames } from './call.ts'
import { checkNotes } from './check.ts'
import type { Look, Reason } from './reason.ts'

type Activity = Pick<Reason, 'since' | 'says' | 'waitsOn' | 'wakes'>

/** What a session that runs is doing just now. */
export async function workReason(look: Look, session: SessionRow, name: Named): Promise<Reason> {
  const open = await openCalls(look.db, session.id)
  const started = open.filter(({ state }) => state === 'started')
  const hooked = open.filter((call) => call.state === 'ready' && hookedOf(call).waits !== undefined)
  const activity =
    started.length > 0
      ? callsRun(look, started)
      : hooked.length > 0
        ? hooksRun(look, hooked)
        : ((await compacting(look, session)) ?? (await betweenCalls(look, session, open)))
  return {
    ref: session.id,
    state: session.status,
    who: name.who,
    ...activity,
    notes: [...signalNotes(session), ...checkNotes(session)],
    unblock: [
      person('interrupt it with a message', `troupe send ${name.ref} --interrupt "…"`),
      person('stop it', `troupe sessions cancel ${name.ref}`),
    ],
  }
}

function callsRun(look: Look, calls: readonly CallRow[]): Activity {
  return {
    since: Math.min(...calls.map((call) => call.started_at ?? call.created_at)),
    says: `runs ${listed(calls.map(({ name }) => name))}`,
    waitsOn: calls.map((call) => ({ kind: 'call', ref: call.id, label: described(look, call) })),
    wakes: wakes('call', calls.length === 1 ? 'the result of that call' : 'the results of those calls'),
  }
}

function hooksRun(look: Look, calls: readonly CallRow[]): Activity {
  const names = [...new Set(calls.flatMap((call) => hookedOf(call).waits ?? []))]
  return {
    since: Math.min(...calls.map((call) => hookedOf(call).since ?? call.created_at)),
    says: `waits for ${hookNames(names)} before ${listed(calls.map(({ name }) => name))}`,
    waitsOn: calls.map((call) => ({ kind: 'call', ref: call.id, label: described(look, call) })),
    wakes: wakes('call', 'what the hooks say, or their time limit'),
  }
}

const becauseOf = {
  asked: 'a person asked for it',
  window: "the model's window is nearly full",
  refused: 'the vendor refused the prompt as too long',
}

async function compacting(look: Look, session: SessionRow): Promise<Activity | undefined> {
  const row = await latestCompaction(look.db, session.id)
  if (row?.state !== 'open' || row.turn_id !== session.turn_id) return undefined
  const label = `${becauseOf[row.why]}; about ${row.tokens_before} tokens`
  return {
    since: row.started_at,
    says: 'compacts its history',
    waitsOn: [{ kind: 'model', ref: session.model ?? session.agent, label }],
    wakes: wakes('model', 'the summary'),
  }
}

async function betweenCalls(look: Look, session: SessionRow, open: readonly CallRow[]): Promise<Activity> {
  const turn = session.turn_id === null ? undefined : await findTurn(look.db, session.turn_id)
  const wanted = session.wanted_at ?? session.updated_at
  const goesOn = open.length > 0 || turn === undefined
  return (
    (goesOn ? undefined : await modelCalled(look, session, turn.started_at)) ?? {
      since: wanted,
      says: turn === undefined ? 'begins a turn' : 'goes on with its turn',
      waitsOn: [],
      wakes: wakes('runner', 'its next step, at once'),
    }
  )
}

async function modelCalled(look: Look, session: SessionRow, turnBegan: number): Promise<Activity | undefined> {
  const event = await newestEvent(look.db, session.id, asks)
  if (event === undefined || event.at < turnBegan) return undefined
  const { data, at } = event
  const model = String(event.type === 'model.switched' ? data.to : data.model)
  const closure = await closureNow(look, session, model)
  if (closure) return pausing(look, model, closure)
  const next = wakes('model', `the answer of ${model}`)
  if (event.type === 'model.called') {
    const label = `call ${data.iteration} of this turn`
    return { since: at, says: `waits for ${model}`, waitsOn: [{ kind: 'model', ref: model, label }], wakes: next }
  }
  const waitOver = event.type === 'model.queued' ? Date.parse(String(data.until)) : at + Number(data.waitMs ?? 0)
  const label = line(look, String(data.reason), 300)
  const waitsOn: Activity['waitsOn'] = [{ kind: 'model', ref: model, label }]
  if (event.type === 'model.switched') return { since: at, says: `waits for ${model} instead`, waitsOn, wakes: next }
  if (look.now >= waitOver) return { since: waitOver, says: `asks ${model} again`, waitsOn, wakes: next }
  return pausing(look, model, { since: at, until: waitOver, reason: String(data.reason) })
}

const asks = ['model.called', 'model.retried', 'model.queued', 'model.switched'] as const

const pausing = (look: Look, model: string, { since, until, reason }: Closure): Activity => ({
  since,
  says: `pauses before it asks ${model} again`,
  waitsOn: [{ kind: 'model', ref: model, label: line(look, reason, 300) }],
  wakes: wakes('time', `the next attempt at ${moment(until)}`, until),
})

/** The queue of the account knows more than the session's last event: others that wait there have tried since. */
async function closureNow({ core, now }: Look, session: SessionRow, name: string): Promise<Closure | undefined> {
  const [, model = name, account = 'default'] = /^(.*) \(([^()]+)\)$/.exec(name) ?? []
  const { usable } = await core.models.candidates(await projectOfSession(core, session), [model])
  const candidate = usable.find((one) => one.account === account)
  const closure = candidate && core.models.closure(candidate)
  return closure && closure.until > now ? closure : undefined
}

const obeyed: Record<string, string> = {
  interrupt: 'It was interrupted',
  pause: 'A person asked it to pause',
  cancel: 'Its turn was canceled',
  close: 'It was closed',
}

function signalNotes({ signal }: SessionRow): string[] {
  const said = obeyed[signal ?? '']
  return said === undefined ? [] : [`${said}; it obeys at the next safe point.`]
}
