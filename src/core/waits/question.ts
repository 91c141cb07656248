import type { Questions } from '../../contract/sessions.ts'
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

/** What becomes of a question that nobody answers, and why that holds here. */
export interface QuestionPolicy {
  readonly unanswered: Questions
  /** "the person is away until …": said to the agent. */
  readonly because: string
}

/** What the row keeps of the policy. */
interface QuestionPark extends Park, Asking {
  readonly first?: string
  readonly seconds?: number
  readonly because?: string
}

/** Waits for the person. Where nobody is there, the first option counts at once, or the question expires. */
export function parkForQuestion(asking: Asking, policy: QuestionPolicy | undefined, now: number): QuestionPark {
  const { unanswered = 'wait', because = '' } = policy ?? {}
  const park: QuestionPark = { park: 'question', ...asking }
  const [first] = asking.options ?? []
  const seconds = Number(/^expire:(\d+)$/.exec(unanswered)?.[1])
  if (unanswered === 'first' && first !== undefined) return { ...park, first, because, until: now }
  return seconds > 0 ? { ...park, seconds, because, until: now + seconds * 1000 } : park
}

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
  asks: (call) => waitsForOf<QuestionPark>(call).first === undefined,
  stopsClock: true,
  endedBy: 'nobody',
  async atLimit(_tx, call) {
    const { first, seconds = 0, because = 'nobody answered' } = waitsForOf<QuestionPark>(call)
    return first === undefined
      ? {
          output: `Nobody answered within ${seconds} s (${because}). Go on without the answer, or end here.`,
          error: true,
        }
      : { output: { answer: first, answeredBy: `nobody: ${because}, so the first option was taken` } }
  },
  lapsesAs: (call) => (waitsForOf<QuestionPark>(call).first === undefined ? 'expired' : 'answered'),
  endedEarly: async (_db, _call, { said }) => ({ output: said, error: true }),
  why: (sight, call) =>
    forPerson(sight, call, byPerson, {
      kind: 'question',
      says: 'for your answer',
      label: (item) => (item ? line(sight, item.title) : described(sight, call)),
    }),
}
