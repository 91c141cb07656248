import { waitsForOf } from '../../store/calls.ts'
import type { CallRow } from '../../store/tables.ts'
import type { Park } from '../base/index.ts'
import type { Wait } from './wait.ts'
import { atLatest, described, person, wakes } from './words.ts'

/** A call that a connected program has to answer. */
interface ForClient {
  /** Whose program it is, and its name: only that one may answer. */
  readonly key: string
  readonly client: string
  readonly seconds: number
  readonly until: number
}

export const parkForClient = (asked: ForClient): Park => ({ park: 'client', ...asked })

export const askedOfClient = (call: CallRow): Partial<ForClient> => waitsForOf<ForClient>(call)

/** Waits for the answer of a program. It is part of the turn's time, and no message ends it. */
export const client: Wait = {
  stopsClock: false,
  endedBy: 'nobody',
  atLimit: async (_tx, call) => {
    const { client = 'the client', seconds = 0 } = askedOfClient(call)
    const output = `The client "${client}" did not answer within ${seconds} s: it is gone or busy. Whether it did something is not known.`
    return { output, error: true }
  },
  endedEarly: async (_db, _call, { said }) => ({ output: said, error: true }),
  async why(sight, call, { owner, until }) {
    const { client = 'a client' } = askedOfClient(call)
    return {
      says: `for the answer of the client "${client}"`,
      since: call.started_at ?? call.created_at,
      things: [{ kind: 'call', ref: call.id, label: described(sight, call) }],
      wakes: wakes('call', `the answer of "${client}"${atLatest(until)}`, until),
      unblock: [
        { who: client, does: 'answers, also after it has connected again' },
        person('end the turn', `troupe sessions cancel ${owner.ref}`),
      ],
      follows: [],
    }
  },
}
