import type { SessionRow } from '../../store/tables.ts'
import { countHeld } from '../../store/why.ts'
import { moment, type Named, person, wakes } from '../waits/index.ts'
import { checkReason } from './check.ts'
import { hostReason } from './host.ts'
import type { Look, Reason } from './reason.ts'

/** Whether a process works on the session. A process alone on its database holds what it claimed while it lives. */
export async function isHeld({ core, db }: Look, session: SessionRow): Promise<boolean> {
  if (session.lease_owner === null) return false
  return core.store.alone || (session.lease_until ?? 0) >= (await core.store.now(db))
}

/** There is something to do, and nobody has begun it or goes on with it. */
export async function runnerReason(look: Look, session: SessionRow, name: Named): Promise<Reason> {
  const { core, db, limits } = look
  const base = { ref: session.id, state: session.status, since: session.wanted_at ?? session.updated_at, who: name.who }
  const stop = person('call it off', `troupe sessions cancel ${name.ref}`)
  const special = (await hostReason(look, session)) ?? (await checkReason(look, session))
  if (special !== undefined) return { ...base, ...special, unblock: [...special.unblock, stop] }
  if (session.lease_owner !== null) {
    const lost = session.lease_until ?? session.updated_at
    return {
      ...base,
      says: 'was left by the process that ran it',
      waitsOn: [{ kind: 'runner', ref: session.lease_owner, label: `not heard from since ${moment(lost)}` }],
      wakes: wakes('runner', 'another process takes it over within seconds'),
      unblock: [person('start a process here', 'troupe up --detach'), stop],
    }
  }
  const held = await countHeld(db, core.host)
  if (held < limits.maxConcurrentTurns) {
    return {
      ...base,
      says: 'is about to be taken up',
      waitsOn: [{ kind: 'runner', ref: core.host, label: 'this process takes it within seconds' }],
      wakes: wakes('runner', 'the next look for work'),
      unblock: [stop],
    }
  }
  return {
    ...base,
    says: 'waits for a free slot',
    waitsOn: [
      {
        kind: 'slot',
        ref: 'limits.maxConcurrentTurns',
        label: `${held} of ${limits.maxConcurrentTurns} turns run at once`,
      },
    ],
    wakes: wakes('runner', 'the end of another turn'),
    unblock: [
      person('see what runs', 'troupe sessions --status running'),
      person(
        'allow more, from the next start of the server',
        `troupe config set limits.maxConcurrentTurns ${limits.maxConcurrentTurns * 2}`,
      ),
      stop,
    ],
  }
}
