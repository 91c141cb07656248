import { createClient } from '../../../src/client/client.ts'
import { fetchTransport } from '../../../src/client/transport.ts'

/** The token of this browser. It is no cookie: a cookie would go to every program that serves on another port. */
const KEY = 'troupe.token'

/** The server that gave this page. */
export const server = createClient({
  transport: fetchTransport(location.origin),
  token: localStorage.getItem(KEY) ?? '',
})

/** Exchanges the code of a link for a token, which works from the next load on; throws where it is not valid any more. */
export async function signIn(code: string): Promise<void> {
  const name = `Browser on ${navigator.platform || 'another machine'}`
  const { token } = await server.call('POST /api/login', { body: { code, name } })
  localStorage.setItem(KEY, token)
  location.replace(location.pathname + location.search)
}

export const forgetToken = (): void => localStorage.removeItem(KEY)

/** The code that a link brought. It leaves the address at once. */
export function codeOfLink(): string | undefined {
  const code = new URLSearchParams(location.hash.slice(1)).get('code') ?? undefined
  if (code !== undefined) history.replaceState(null, '', location.pathname + location.search)
  return code
}
