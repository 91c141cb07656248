import { AppError } from '../../contract/errors.ts'
import { everyRoute } from '../../contract/routes/index.ts'
import type { Caller } from './auth.ts'

export type SessionCaller = Extract<Caller, { kind: 'session' }>

/** The routes that a session's token opens. Which mail and tasks it may see is decided in http/api/mail-session.ts and core/tasks/seen.ts. */
const rights = everyRoute
  .filter(([, { who }]) => who === 'session' || who === 'itself')
  .map(([name, { who }]) => ({ who, pattern: new RegExp(`^${name.replaceAll(/\{\w+\}/g, '([^/]+)')}$`) }))

const open = new Set(everyRoute.flatMap(([name, { who }]) => (who === 'anyone' ? [name] : [])))

/** Whether a route may be called without a token. */
export const isForAnyone = (method: string, path: string): boolean => open.has(routeNamed(method, path))

/** Comes before any route is looked for. A person and their devices may do everything; a session only what is listed. */
export function checkRight(caller: Caller, method: string, path: string): void {
  if (caller.kind !== 'session') return
  for (const { who, pattern } of rights) {
    const found = pattern.exec(routeNamed(method, path))
    if (found !== null && (who === 'session' || isOwn(caller, found[1]))) return
  }
  throw forbidden(`${method} ${path.slice(0, 200)}`)
}

const routeNamed = (method: string, path: string): string => `${method === 'HEAD' ? 'GET' : method} ${path}`

/** Only a person may see what a person edited or deleted. */
export const isPerson = ({ kind }: Caller): boolean => kind !== 'session'

/** Whether `ref` is the caller's id or a beginning of it; its requests are answered in its own project only. */
export const isOwn = ({ sessionId }: SessionCaller, ref: string | undefined): boolean =>
  ref === undefined || (ref.length >= 4 && sessionId.startsWith(ref.toLowerCase()))

export const forbidden = (what: string): AppError =>
  new AppError('auth.forbidden', `The token of this session does not allow this: ${what}.`, {
    hint: 'It is for mail and tasks as that session and for reading that session; the rest is the person’s to do.',
  })
