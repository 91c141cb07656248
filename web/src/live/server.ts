import { createClient } from '../../../src/client/client.ts'
import { CallFailure } from '../../../src/client/failure.ts'
import { fetchTransport } from '../../../src/client/transport.ts'
import { timed } from './clock.ts'
import { kept } from './kept.ts'

/** The token of this browser. It is no cookie: a cookie would go to every program that serves on another port. */
const KEY = 'troupe.token'

/** The server that gave this page. */
export const server = createClient({
  transport: timed(fetchTransport(location.origin)),
  token: kept.get(KEY) ?? '',
})

const KEEPS_NOTHING =
  'This browser keeps nothing for this page: its storage is blocked or full. Allow it for this address, then open the same link again.'

/** Exchanges the code of a link for a token, which works from the next load on; throws where it is not valid any more. */
export async function signIn(code: string): Promise<void> {
  // First, so that a link is not used up in a browser that could not stay.
  if (!kept.lasts()) throw new CallFailure('foreign', KEEPS_NOTHING)
  const name = `Browser on ${navigator.platform || 'another machine'}`
  const { token } = await server.call('POST /api/login', { body: { code, name } })
  kept.put(KEY, token)
  location.replace(location.pathname + location.search)
}

export const forgetToken = (): void => kept.drop(KEY)

/** The code that a link brought. It leaves the address at once. */
export function codeOfLink(): string | undefined {
  const code = new URLSearchParams(location.hash.slice(1)).get('code') ?? undefined
  if (code !== undefined) history.replaceState(null, '', location.pathname + location.search)
  return code
}
