import type { CallFailure } from '../client/failure.ts'
import { asCalled, troupe } from './called.ts'

/** The exit codes: ok, failed, wrong usage, no server, a person has to decide something first. */
export const exits = { ok: 0, failed: 1, usage: 2, unreachable: 3, needsHuman: 4 } as const
export type Exit = (typeof exits)[keyof typeof exits]

/** A command that did not do what was asked: a sentence, what to do next, and the exit code. */
export class Failure extends Error {
  readonly exit: Exit
  readonly code: string
  readonly hint: string | undefined

  constructor(exit: Exit, message: string, more: { code?: string; hint?: string | undefined } = {}) {
    super(asCalled(message))
    this.name = 'Failure'
    this.exit = exit
    this.code = more.code ?? 'cli.failed'
    this.hint = more.hint === undefined ? undefined : asCalled(more.hint)
  }
}

export const usage = (message: string, hint?: string): Failure =>
  new Failure(exits.usage, message, { code: 'cli.usage', ...(hint ? { hint } : {}) })

/** Anything thrown, as a failure that can be printed. AppError has the same fields and is recognised by them. */
export function failureOf(thrown: unknown): Failure {
  if (thrown instanceof Failure) return thrown
  if (!(thrown instanceof Error)) return new Failure(exits.failed, String(thrown))
  if (isCallFailure(thrown)) return failureOfCall(thrown)
  const { code, hint } = thrown as { code?: unknown; hint?: unknown }
  return new Failure(exits.failed, thrown.message, {
    ...(typeof code === 'string' ? { code } : {}),
    ...(typeof hint === 'string' ? { hint } : {}),
  })
}

/** Recognised by its name, so that a command that never calls the server does not load the client. */
const isCallFailure = (thrown: Error): thrown is CallFailure => thrown.name === 'CallFailure'

/** A hint that names a route is for programs that speak HTTP; nobody can type it at a prompt. */
const namesRoute = /\b(GET|POST|PUT|PATCH|DELETE) \/api\//

/** The server names the part of the request that it found wrong; at a prompt the field alone says more. */
function inWords({ message, details }: CallFailure): string {
  const { issues = [] } = (details ?? {}) as { issues?: readonly { field: string; message: string }[] }
  return issues[0]?.field ? `The ${issues[0].field} is not valid: ${issues[0].message}.` : message
}

function failureOfCall(failure: CallFailure): Failure {
  const { kind, message, code, hint } = failure
  if (kind === 'foreign') {
    return new Failure(exits.failed, message, {
      code: 'cli.bad_answer',
      hint: `Another program may have taken its port: "${troupe} up --port 0" starts a server at a free one.`,
    })
  }
  const more = hint && !namesRoute.test(hint) ? { hint } : {}
  if (kind === 'refused') return new Failure(exits.failed, inWords(failure), { code, ...more })
  return new Failure(exits.unreachable, message, { code: 'cli.unreachable', ...more })
}
