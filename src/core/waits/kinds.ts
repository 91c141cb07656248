import type { WaitKind } from '../../contract/calls.ts'
import type { CallRow } from '../../store/tables.ts'
import { approval } from './approval.ts'
import { ask } from './ask.ts'
import { changes } from './changes.ts'
import { client } from './client.ts'
import { question } from './question.ts'
import { tasks } from './tasks.ts'
import { timer } from './timer.ts'
import type { Person, Wait } from './wait.ts'

/** Everything a call can wait for. */
export const kinds: Readonly<Record<WaitKind, Wait>> = {
  approval,
  changes,
  question,
  timer,
  ask,
  spawn: tasks,
  tasks,
  client,
}

/** How a call waits; undefined for a call that does not wait. */
export const waitFor = ({ state, kind }: CallRow): Wait | undefined =>
  state === 'parked' && kind !== null ? kinds[kind] : undefined

/** How a person ends the wait that the call parked for, also after it is over. */
export const personOf = ({ kind }: CallRow): Person | undefined => (kind === null ? undefined : kinds[kind].person)
