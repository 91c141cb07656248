import { AppError } from '../../contract/errors.ts'
import { everyRoute } from '../../contract/routes/index.ts'
import type { Caller } from './auth.ts'

export type SessionCaller = Extract<Caller, { kind: 'session' }>

/** What a session's token opens: mail as itself, whom it can reach, and itself. Which mail, http/api/mail.ts decides. */
const rights = everyRoute
  .filter(([, { who }]) => who === 'session' || who === 'itself')
  .map(([name, { who }]) => ({ who, pattern: new RegExp(`^${name.replaceAll(/\{\w+\}/g, '([^/]+)')}$`) }))

const open = new Set(everyRoute.flatMap(([name, { who }]) => (who === 'anyone' ? [name] : [])))

/** Whether a route may be called without a token. */
export const isOpen = (method: string, path: string): boolean => open.has(routeNamed(method, path))

/** Before any route is looked for. A person and their devices may do everything; a session what is listed, as itself. */
export function checkRight(caller: Caller, method: string, path: string): void {
  if (caller.kind !== 'session') return
  for (const { who, pattern } of rights) {
    const found = pattern.exec(routeNamed(method, path))
    if (found !== null && (who === 'session' || isOwn(caller, found[1]))) return
  }
  throw forbidden(`${method} ${path.slice(0, 200)}`)
}

const routeNamed = (method: string, path: string): string => `${method === 'HEAD' ? 'GET' : method} ${path}`

/** What a person took back is theirs to see, and no session's. */
export const isPerson = ({ kind }: Caller): boolean => kind !== 'session'

/** Its id, or a beginning of it: in its own project, where its requests are answered, that means no other session. */
export const isOwn = ({ sessionId }: SessionCaller, ref: string | undefined): boolean =>
  ref === undefined || (ref.length >= 4 && sessionId.startsWith(ref.toLowerCase()))

export const forbidden = (what: string): AppError =>
  new AppError('auth.forbidden', `The token of this session does not allow this: ${what}.`, {
    hint: 'It is for mail as that session and for reading that session; the rest is the person’s to do.',
  })
