/**
 * Every error a caller may see, with the class that decides how each edge translates it (HTTP status, exit code, tool
 * result). The sentence is written where it is thrown.
 */
export const errors = {
  'request.invalid': 'invalid',
  'request.not_json': 'unsupported',
  'request.too_large': 'too_large',
  'request.unknown_route': 'not_found',
  'auth.missing': 'unauthenticated',
  'auth.wrong': 'unauthenticated',
  'auth.too_many': 'limited',
  'auth.forbidden': 'forbidden',
  'auth.host': 'misdirected',
  'auth.origin': 'forbidden',
  'device.not_found': 'not_found',
  'device.too_many': 'limited',
  'agent.not_found': 'not_found',
  'agent.broken': 'invalid',
  'agent.mode_off': 'invalid',
  'agent.read_only': 'conflict',
  'agent.no_runtime': 'invalid',
  'session.not_found': 'not_found',
  'session.ambiguous': 'conflict',
  'session.deleted': 'gone',
  'session.busy': 'conflict',
  'session.state': 'conflict',
  'session.bad_ref': 'invalid',
  'message.not_found': 'not_found',
  'mail.not_found': 'not_found',
  'mail.too_large': 'too_large',
  'mail.box_full': 'limited',
  'mail.undeliverable': 'gone',
  'mail.suppressed': 'limited',
  'mail.not_a_question': 'conflict',
  'address.unknown': 'not_found',
  'address.not_allowed': 'forbidden',
  'address.self': 'invalid',
  'ask.cycle': 'conflict',
  'ask.human': 'invalid',
  'task.not_found': 'not_found',
  'task.too_deep': 'limited',
  'trigger.not_found': 'not_found',
  'trigger.invalid': 'invalid',
  'trigger.too_many': 'limited',
  'trigger.state': 'conflict',
  'task.state': 'conflict',
  'task.no_question': 'conflict',
  'run.not_found': 'not_found',
  'run.state': 'conflict',
  'run.limit': 'limited',
  'node.not_found': 'not_found',
  'node.cycle': 'conflict',
  'node.state': 'conflict',
  'worker.invalid': 'invalid',
  'worker.state': 'conflict',
  'chain.spent': 'limited',
  'inbox.not_found': 'not_found',
  'inbox.answered': 'conflict',
  'inbox.bad_answer': 'invalid',
  'call.not_found': 'not_found',
  'call.resolved': 'conflict',
  'tool.taken': 'conflict',
  'events.bad_cursor': 'invalid',
  'events.expired': 'gone',
  'events.too_slow': 'limited',
  'events.too_many_readers': 'limited',
  'settings.invalid': 'invalid',
  'settings.not_here': 'invalid',
  'memory.path': 'invalid',
  'memory.not_found': 'not_found',
  'memory.conflict': 'conflict',
  'memory.too_large': 'too_large',
  'memory.busy': 'limited',
  'memory.untrusted': 'conflict',
  'memory.no_writer': 'conflict',
  'skill.not_found': 'not_found',
  'skill.human_only': 'forbidden',
  'model.unknown': 'invalid',
  'model.failed': 'unavailable',
  'project.not_found': 'not_found',
  'trust.nothing': 'conflict',
  'trust.changed': 'conflict',
  'trust.unverifiable': 'conflict',
  'permission.denied': 'forbidden',
  'permission.invalid': 'invalid',
  'permission.not_found': 'not_found',
  'sandbox.unavailable': 'unavailable',
  'mcp.not_found': 'not_found',
  'path.outside': 'forbidden',
  'path.not_found': 'not_found',
  'path.kind': 'invalid',
  'tool.unknown': 'not_found',
  'tool.failed': 'invalid',
  'home.unusable': 'unavailable',
  'store.locked': 'conflict',
  'store.unusable': 'unavailable',
  'store.removed': 'unavailable',
  'store.version': 'unavailable',
  'store.newer': 'conflict',
  'store.full': 'no_space',
  'store.away': 'unavailable',
  'store.slow': 'unavailable',
  'store.busy': 'limited',
  'backup.failed': 'unavailable',
  'server.shutting_down': 'unavailable',
  internal: 'internal',
} as const

export type ErrorCode = keyof typeof errors
export type ErrorClass = (typeof errors)[ErrorCode]

export class AppError extends Error {
  readonly code: ErrorCode
  readonly hint: string | undefined
  readonly details: unknown

  constructor(code: ErrorCode, message: string, more: { hint?: string; details?: unknown; cause?: unknown } = {}) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause })
    this.name = 'AppError'
    this.code = code
    this.hint = more.hint
    this.details = more.details
  }
}

/** The store cannot write now and will again: what met this waits, and is not at fault. */
export const isStoreTrouble = (error: unknown): error is AppError =>
  error instanceof AppError && ['store.full', 'store.away', 'store.removed'].includes(error.code)

/** It says what is wrong with what was asked. Trouble of the store says nothing about that, and is thrown on. */
export const isProblem = (error: unknown): error is AppError =>
  error instanceof AppError && !error.code.startsWith('store.')

/** Somebody wanted what they may not, or what cannot be done safely here: a line of the security log. */
export const isForbidden = (code: ErrorCode): boolean => errors[code] === 'forbidden' || code === 'sandbox.unavailable'

/** The same words wherever the data folder is opened: by the server, and by a command before it starts one. */
export const homeUnusable = (home: string, why: string): AppError =>
  new AppError('home.unusable', `The data folder ${home} cannot be used: ${why}.`, {
    hint: 'Set TROUPE_HOME to a folder that you may write.',
  })
