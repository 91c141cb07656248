import type { IncomingMessage } from 'node:http'
import { AppError } from '../../contract/errors.ts'
import { type Holder, whereOf } from '../../core/sessions/index.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Devices } from './devices.ts'
import { digest, sameDigest } from './secrets.ts'

/** Who a request acts as. A device has the owner's rights; a session acts only as itself and in its own project. */
export type Caller =
  | { readonly kind: 'owner' }
  | { readonly kind: 'device'; readonly deviceId: string }
  | ({ readonly kind: 'session' } & Holder)

export interface Auth {
  /** The caller behind a token; throws when there is none or it is wrong. */
  identify(token: string | undefined): Promise<Caller>
  /** Checks any other secret. A miss counts as much as a wrong token. */
  check<T>(check: () => T | undefined, miss: string): T
}

const FAILURES = 20
const WINDOW_MS = 60_000

/** All kinds of secrets and all addresses share one count of failures. A right secret is always served. */
export function createAuth(
  ownerToken: string,
  devices: Devices,
  holderOf: (token: string) => Promise<Holder | undefined>,
  clock: Clock,
): Auth {
  const owner = digest(ownerToken)
  const failures: number[] = []

  const check: Auth['check'] = (attempt, miss) => {
    const found = attempt()
    if (found !== undefined) return found
    const now = clock.now()
    while (failures.length > 0 && !(Math.abs(now - failures[0]!) < WINDOW_MS)) failures.shift()
    if (failures.length >= FAILURES) throw tooMany()
    failures.push(now)
    throw new AppError('auth.wrong', miss, { hint: 'The owner\'s token is in the file "token" of the data folder.' })
  }

  return {
    check,
    async identify(token) {
      if (token === undefined || token === '') throw missing()
      const caller = await callerOf(token)
      return check(() => caller, 'This token is not valid here.')
    },
  }

  async function callerOf(token: string): Promise<Caller | undefined> {
    const given = digest(token)
    if (sameDigest(given, owner)) return { kind: 'owner' }
    const deviceId = devices.find(given)
    if (deviceId !== undefined) return { kind: 'device', deviceId }
    const holder = await holderOf(token)
    return holder && { kind: 'session', ...holder }
  }
}

export const bearerOf = (authorization: string | undefined): string | undefined =>
  /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1]

/** The name under which an act of this caller is recorded. */
export const callerName = (caller: Caller): string =>
  caller.kind === 'device'
    ? `human via ${caller.deviceId}`
    : caller.kind === 'session'
      ? whereOf(caller.sessionId, '')
      : 'human'

/** Who is behind a request, as far as known: a caller, or where it comes from. */
export const sourceOf = (caller: Caller | undefined, { socket }: IncomingMessage): string =>
  caller === undefined ? (socket.remoteAddress ?? 'a local socket') : callerName(caller)

const missing = (): AppError =>
  new AppError('auth.missing', 'This request carries no token.', {
    hint: 'Send "Authorization: Bearer <token>"; the owner\'s token is in the file "token" of the data folder.',
  })

const tooMany = (): AppError =>
  new AppError('auth.too_many', 'Too many wrong tokens in the last minute.', {
    hint: 'Wait a minute, or use the right token: it is served at any time.',
  })
