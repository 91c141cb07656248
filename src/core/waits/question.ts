import { shorten } from '../../lib/shorten.ts'
import { waitsForOf } from '../../store/calls.ts'
import type { Park } from '../base/index.ts'
import { resumeCallByPerson } from './resume.ts'
import type { Person, Wait } from './wait.ts'
import { described, forPerson, line, person } from './words.ts'

interface Asking {
  readonly question: string
  readonly options?: readonly string[]
}

export const parkForQuestion = (asking: Asking): Park => ({ park: 'question', ...asking })

const byPerson: Person = {
  wanted: 'your answer',
  async item(_core, tx, _session, call) {
    const { question = '', options } = waitsForOf<Asking>(call)
    return {
      kind: 'question',
      title: shorten(tx.mask(question), 120),
      body: question,
      ...(options === undefined ? {} : { options }),
    }
  },
  answer: (core, tx, session, call, answer, by) =>
    resumeCallByPerson(
      core,
      tx,
      session,
      call,
      { result: { output: { answer, ...(by === undefined ? {} : { answeredBy: `${by}, not the person` }) } } },
      'answered',
    ),
  commands: (id) => [person('answer', `troupe inbox answer ${id} "…"`)],
}

/** The agent asked the person something. */
export const question: Wait = {
  person: byPerson,
  stopsClock: true,
  endedBy: 'nobody',
  endedEarly: async (_db, _call, { said }) => ({ output: said, error: true }),
  why: (sight, call) =>
    forPerson(sight, call, byPerson, {
      kind: 'question',
      says: 'for your answer',
      label: (item) => (item ? line(sight, item.title) : described(sight, call)),
    }),
}
