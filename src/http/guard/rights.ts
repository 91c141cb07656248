import { AppError } from '../../contract/errors.ts'
import type { Caller } from './auth.ts'

export type SessionCaller = Extract<Caller, { kind: 'session' }>

/** All that a session's token may ask for: mail as itself, whom it can reach, and itself. Which mail, http/api/mail.ts decides. */
const rights: readonly { readonly method: string; readonly path: RegExp }[] = [
  { method: 'POST', path: /^\/api\/mail$/ },
  { method: 'GET', path: /^\/api\/mail$/ },
  { method: 'GET', path: /^\/api\/mail\/[^/]+$/ },
  { method: 'POST', path: /^\/api\/mail\/[^/]+\/answer$/ },
  { method: 'GET', path: /^\/api\/agents$/ },
  { method: 'GET', path: /^\/api\/tools$/ },
  { method: 'GET', path: /^\/api\/sessions\/(?<own>[^/]+)(\/(messages|prompt|tools|todos|context|export))?$/ },
  { method: 'GET', path: /^\/api\/why\/(?<own>[^/]+)$/ },
]

/** Before any route is looked for. A person and their devices may do everything; a session what is listed, as itself. */
export function checkRight(caller: Caller, method: string, path: string): void {
  if (caller.kind !== 'session') return
  const asked = method === 'HEAD' ? 'GET' : method
  for (const right of rights) {
    const found = right.method === asked ? right.path.exec(path) : null
    if (found !== null && isOwn(caller, found.groups?.own)) return
  }
  throw forbidden(`${method} ${path.slice(0, 200)}`)
}

/** What a person took back is theirs to see, and no session's. */
export const isPerson = ({ kind }: Caller): boolean => kind !== 'session'

/** Its id, or a beginning of it: in its own project, where its requests are answered, that means no other session. */
export const isOwn = ({ sessionId }: SessionCaller, ref: string | undefined): boolean =>
  ref === undefined || (ref.length >= 4 && sessionId.startsWith(ref.toLowerCase()))

export const forbidden = (what: string): AppError =>
  new AppError('auth.forbidden', `The token of this session does not allow this: ${what}.`, {
    hint: 'It is for mail as that session and for reading that session; the rest is the person’s to do.',
  })
