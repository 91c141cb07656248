import { hex } from '../ids.ts'
import { depthOf, LEVELS } from '../json.ts'
import { type Ended, type GuardedRequest, startGuarded } from './processes.ts'

/**
 * A guarded program that is asked one thing after the other. It reads a line of JSON for each and answers with a line
 * that begins with a mark only it knows; everything else that it or its children print is output.
 */

interface DialogueRequest extends Omit<GuardedRequest, 'onOutput' | 'listens'> {
  /** What it is told first, together with the mark. */
  readonly opening: Readonly<Record<string, unknown>>
  /** An answer may be this long; a longer one ends the program. */
  readonly answerChars: number
  /** So much it may print for one question; more ends the program. */
  readonly outputChars: number
}

interface Question {
  readonly ask: unknown
  readonly timeoutMs: number
  readonly signal: AbortSignal
  onOutput(text: string): void
}

type Answer =
  | { readonly answer: unknown }
  /** The program was ended for it, or ended by itself. */
  | { readonly failed: 'ended' | 'timeout' | 'aborted' | 'output' | 'answer'; readonly ended: Ended }

export interface Dialogue {
  /** Settles within 5 s after the time is up, whatever the program does. One question at a time. */
  ask(question: Question): Promise<Answer>
  readonly ended: Promise<Ended>
  end(): void
}

type Failure = Exclude<Answer, { answer: unknown }>['failed']

interface Open {
  readonly question: Question
  readonly answered: (value: unknown) => void
  printed: number
}

/** Throws a StartError when the program cannot be started. */
export function startDialogue({ opening, answerChars, outputChars, ...request }: DialogueRequest): Dialogue {
  const mark = `\x1e${hex(16)}\x1e`
  let held = ''
  let open: Open | undefined
  let why: Failure = 'ended'
  const child = startGuarded({ ...request, listens: true, onOutput: hear })
  const say = (value: unknown) => child.write(`${JSON.stringify(value)}\n`)
  const end = (failure: Failure) => {
    why = failure
    child.end()
  }
  say({ ...opening, mark })

  function hear(text: string): void {
    held += text
    for (let at = held.indexOf(mark); at >= 0; at = held.indexOf(mark)) {
      const line = held.indexOf('\n', at)
      if (line < 0) {
        print(held.slice(0, at))
        held = held.slice(at)
        if (held.length > answerChars + mark.length) refuse('answer')
        return
      }
      print(held.slice(0, at))
      answer(held.slice(at + mark.length, line))
      held = held.slice(line + 1)
    }
    // The end may be the beginning of a mark.
    print(held.slice(0, Math.max(0, held.length - mark.length)))
    held = held.slice(-mark.length)
  }

  function print(text: string): void {
    if (open === undefined || text === '') return
    open.printed += text.length
    if (open.printed > outputChars) refuse('output')
    else open.question.onOutput(text)
  }

  function answer(json: string): void {
    try {
      const fits = json.length <= answerChars && depthOf(json) <= LEVELS
      const value: unknown = fits ? JSON.parse(json) : refuse('answer')
      if (value !== undefined) open?.answered(value)
    } catch {
      refuse('answer')
    }
  }

  /** Nothing more of it is heard. */
  function refuse(failure: Failure): undefined {
    if (why === 'ended') end(failure)
    held = ''
    return undefined
  }

  return {
    ended: child.ended,
    end: () => end('ended'),
    async ask(question) {
      const { promise, resolve } = Promise.withResolvers<Answer>()
      if (question.signal.aborted) return { failed: 'aborted', ended: { exitCode: null, signal: null } }
      open = { question, printed: 0, answered: (value) => resolve({ answer: value }) }
      const timeout = setTimeout(() => end('timeout'), question.timeoutMs)
      const onAbort = () => end('aborted')
      question.signal.addEventListener('abort', onAbort, { once: true })
      child.ended.then(
        (ended) => resolve({ failed: why, ended }),
        () => resolve({ failed: 'ended', ended: { exitCode: null, signal: null } }),
      )
      say(question.ask)
      try {
        return await promise
      } finally {
        open = undefined
        clearTimeout(timeout)
        question.signal.removeEventListener('abort', onAbort)
      }
    },
  }
}
