import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type {
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client'
import { AppError } from '../../contract/errors.ts'
import { version } from '../../core/base/index.ts'
import type { ConfiguredServer, Learn } from '../../core/config/index.ts'
import { readSmall, sha256, writeAtomic } from '../../lib/files/files.ts'
import { hex } from '../../lib/ids.ts'
import { whyFailed } from './failures.ts'

type Fetch = (address: string | URL, init?: RequestInit) => Promise<Response>

/** What a login left, in the data folder and for the owner alone. */
interface Held {
  readonly tokens?: StoredOAuthTokens
  readonly client?: StoredOAuthClientInformation
  readonly redirectUrl?: string
}

interface Pending {
  readonly provider: OAuthClientProvider
  readonly url: string
  readonly until: number
}

export interface Logins {
  /** Who shows the token and has it renewed; undefined while nobody is logged in. */
  providerOf(server: ConfiguredServer): OAuthClientProvider | undefined
  begin(
    server: ConfiguredServer,
    at: { url: string; redirectUrl: string; fetch: Fetch; now: number },
  ): Promise<{ url: string; state: string }>
  finish(
    server: ConfiguredServer,
    given: { state: string; code: string; iss?: string | undefined; fetch: Fetch; now: number },
  ): Promise<void>
  forget(server: ConfiguredServer): void
}

const PENDING = 20
const TOKENS = 20
const PENDING_MS = 600_000

export function openLogins(home: string, learn: Learn): Logins {
  const pending = new Map<string, Pending>()
  /** What the mask was told, the newest first. */
  const shown = new Map<string, readonly string[]>()
  const fileOf = (server: ConfiguredServer): string => join(home, 'mcp', `login-${keyOf(server)}.json`)

  function held(server: ConfiguredServer): Held {
    const file = readSmall(fileOf(server))
    const found = file?.text ? (parsed(file.text) ?? {}) : {}
    tellMask(server, found)
    return found
  }

  function keep(server: ConfiguredServer, change: Partial<Held>): void {
    const now = { ...held(server), ...change }
    tellMask(server, now)
    writeAtomic(fileOf(server), JSON.stringify(now), 0o600)
  }

  function tellMask(server: ConfiguredServer, { tokens, client }: Held): void {
    const secret = client && 'client_secret' in client ? client.client_secret : undefined
    const now = [tokens?.access_token, tokens?.refresh_token, secret].filter((one) => one !== undefined)
    const key = keyOf(server)
    const before = shown.get(key) ?? []
    if (now.every((one) => before.includes(one))) return
    // Those that were renewed may still be said somewhere.
    const token = [...new Set([...now, ...before])].slice(0, TOKENS)
    shown.set(key, token)
    learn(`mcp-login:${key}`, { mcpServers: { [server.name]: { token } } })
  }

  function provider(server: ConfiguredServer, way: Way): OAuthClientProvider {
    let verifier = ''
    let discovered: OAuthDiscoveryState | undefined
    return {
      redirectUrl: way.redirectUrl,
      clientMetadata: {
        client_name: `Troupe ${version}`,
        redirect_uris: [way.redirectUrl],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
      },
      state: () => way.state,
      // A client is registered with the address that it comes back to.
      clientInformation: () => {
        const { client, redirectUrl } = held(server)
        return redirectUrl === way.redirectUrl ? client : undefined
      },
      saveClientInformation: (client) => keep(server, { client, redirectUrl: way.redirectUrl }),
      tokens: () => held(server).tokens,
      saveTokens: (tokens) => keep(server, { tokens }),
      redirectToAuthorization: way.leads,
      saveCodeVerifier: (text) => {
        verifier = text
      },
      codeVerifier: () => verifier,
      saveDiscoveryState: (state) => {
        discovered = state
      },
      discoveryState: () => discovered,
      invalidateCredentials: (what) => {
        const { tokens, client, redirectUrl = '' } = held(server)
        if (what === 'all') forget(server)
        else if (what === 'tokens') writeAtomic(fileOf(server), JSON.stringify({ client, redirectUrl }), 0o600)
        else if (what === 'client') writeAtomic(fileOf(server), JSON.stringify({ tokens }), 0o600)
      },
    }
  }

  function forget(server: ConfiguredServer): void {
    rmSync(fileOf(server), { force: true })
  }

  return {
    providerOf(server) {
      const { tokens, redirectUrl = '' } = held(server)
      if (tokens === undefined) return undefined
      return provider(server, {
        redirectUrl,
        state: '',
        leads: () => {
          throw wantsLogin(server)
        },
      })
    },
    async begin(server, { url, redirectUrl, fetch, now }) {
      const { auth } = await import('@modelcontextprotocol/client')
      for (const [state, { until }] of pending) if (until < now || pending.size >= PENDING) pending.delete(state)
      const state = hex(16)
      let leads: URL | undefined
      const own = provider(server, {
        redirectUrl,
        state,
        leads: (to) => {
          leads = to
        },
      })
      await auth({ ...own, tokens: () => undefined }, { serverUrl: url, fetchFn: fetch }).catch(refused(server))
      if (leads === undefined) throw new AppError('tool.failed', `${server.name} wants no login.`)
      pending.set(state, { provider: own, url, until: now + PENDING_MS })
      return { url: leads.href, state }
    },
    async finish(server, { state, code, iss, fetch, now }) {
      const begun = pending.get(state)
      pending.delete(state)
      if (begun === undefined || begun.until < now)
        throw new AppError('request.invalid', 'This login was not begun here, or is over.', {
          hint: `Begin again: troupe mcp login ${server.name}`,
        })
      const { auth } = await import('@modelcontextprotocol/client')
      await auth(begun.provider, {
        serverUrl: begun.url,
        authorizationCode: code,
        fetchFn: fetch,
        ...(iss !== undefined && { iss }),
      }).catch(refused(server))
    },
    forget,
  }
}

interface Way {
  readonly redirectUrl: string
  readonly state: string
  leads(to: URL): void
}

const wantsLogin = ({ name }: ConfiguredServer): AppError =>
  new AppError('tool.failed', 'its login is over.', { hint: `Log in again: troupe mcp login ${name}` })

/** What the server, or the library that speaks with it, has against a login is told to the person. */
const refused =
  ({ name }: ConfiguredServer) =>
  (error: unknown): never => {
    throw new AppError('request.invalid', `The login at ${name} failed: ${whyFailed(error)}.`, {
      hint: `Look at its address, then begin again: troupe mcp login ${name}`,
      cause: error,
    })
  }

/** The person is logged in to a server of their own in all projects; what a project brings is apart. */
const keyOf = ({ name, personal, digest, config }: ConfiguredServer): string =>
  sha256(JSON.stringify([name, 'url' in config ? config.url : '', personal ? '' : digest])).slice(0, 32)

function parsed(text: string): Held | undefined {
  try {
    return JSON.parse(text) as Held
  } catch {
    return undefined
  }
}
