import { waitsForOf } from '../../store/calls.ts'
import type { Park } from '../base/index.ts'
import type { Wait } from './wait.ts'
import { endEarly, moment, wakes } from './words.ts'

interface Sleep {
  readonly until: number
  /** What the tool returns then. */
  readonly result: string
}

export const parkForTime = (time: Sleep): Park => ({ park: 'timer', ...time })

/** Waits for a point in time. It is part of the turn's time, and any message ends it. */
export const timer: Wait = {
  stopsClock: false,
  endedBy: 'anyone',
  atLimit: async (_tx, call) => ({ output: waitsForOf<Sleep>(call).result ?? 'The time is up.' }),
  // A message before the time is no failure.
  endedEarly: async (_db, _call, { said }) => ({ output: said }),
  async why(_sight, call, { owner, until }) {
    const label = until === undefined ? call.name : `${call.name} until ${moment(until)}`
    return {
      says: until === undefined ? 'for a timer' : `for the time ${moment(until)}`,
      since: call.started_at ?? call.created_at,
      things: [{ kind: 'timer', ref: call.id, label }],
      wakes: wakes('time', 'the timer, or a message before', until),
      unblock: [endEarly(owner)],
      follows: [],
    }
  },
}
