import { createServer, type IncomingHttpHeaders } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

const program = fileURLToPath(new URL('./mcp-server.ts', import.meta.url))

/** What the kit's server offers, for its file. */
export const planOf = (...tools: readonly (string | Record<string, unknown>)[]): string =>
  JSON.stringify({ tools: tools.map((one) => (typeof one === 'string' ? { name: one } : one)) })

/** The server of the kit, which offers what a file of the workspace says. */
export const kitServer = (plan: string, more: Record<string, unknown> = {}) => ({
  command: process.execPath,
  args: [program, plan],
  ...more,
})

/** A reference server from npm. */
export const referenceServer = (name: string, ...args: string[]) => ({
  command: process.execPath,
  args: [referenceProgram(name), ...args],
})

export function referenceProgram(name: string): string {
  const file = createRequire(import.meta.url).resolve(`@modelcontextprotocol/server-${name}/package.json`)
  return join(dirname(file), 'dist', 'index.js')
}

interface HttpMcp {
  readonly url: string
  readonly host: string
  /** The headers of each request, in order. */
  readonly seen: IncomingHttpHeaders[]
  /** The token it gave counts no more; it gives another for the old one. */
  expire(): void
}

interface HttpMcpOptions {
  /** What the tool "tell" answers. */
  readonly tells?: string
  /** Without this token a request is answered with 401. */
  readonly token?: string
  /** It gives tokens by OAuth; the first one is `token`, a later one has a "+" more. */
  readonly oauth?: boolean
}

interface Asked {
  readonly id?: number
  readonly method: string
}

/** A server over HTTP with one tool, that keeps what it was sent. */
export async function openHttpMcp({ tells = 'told', token, oauth }: HttpMcpOptions = {}): Promise<HttpMcp> {
  const seen: IncomingHttpHeaders[] = []
  let valid = token
  const expire = (): void => {
    valid = `${valid}+`
  }
  const answers: Record<string, unknown> = {
    initialize: {
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'http-kit', version: '1' },
    },
    'tools/list': { tools: [{ name: 'tell', description: 'Tells.', inputSchema: { type: 'object' } }] },
    'tools/call': { content: [{ type: 'text', text: tells }] },
  }
  const server = createServer(async (request, response) => {
    seen.push(request.headers)
    let body = ''
    for await (const piece of request) body += piece
    const given = oauth && granted(`http://${host}`, request.url ?? '', body, () => valid ?? '', token)
    if (given) response.writeHead(given.status, given.headers).end(JSON.stringify(given.body))
    else if (valid !== undefined && request.headers.authorization !== `Bearer ${valid}`) response.writeHead(401).end()
    else if (request.method !== 'POST') response.writeHead(405).end()
    else {
      const { id, method } = JSON.parse(body) as Asked
      if (id === undefined) response.writeHead(202).end()
      else {
        response.writeHead(200, { 'content-type': 'application/json' })
        response.end(JSON.stringify({ jsonrpc: '2.0', id, result: answers[method] ?? {} }))
      }
    }
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close().closeAllConnections())
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url: `http://${host}/mcp`, host, seen, expire }
}

/** What an authorization server on the same host answers. */
function granted(origin: string, url: string, body: string, renew: () => string, token = '') {
  const { pathname, searchParams } = new URL(url, origin)
  const json = (value: unknown, status = 200) => ({
    status,
    headers: { 'content-type': 'application/json' } as Record<string, string>,
    body: value,
  })
  const tokens = (access_token: string) =>
    json({ access_token, refresh_token: 'renew-me-please', token_type: 'Bearer' })
  if (pathname.startsWith('/.well-known/oauth-protected-resource'))
    return json({ resource: `${origin}/mcp`, authorization_servers: [origin] })
  if (pathname.startsWith('/.well-known/'))
    return json({
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      registration_endpoint: `${origin}/register`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
    })
  if (pathname === '/register') return json({ ...JSON.parse(body), client_id: 'troupe-client' }, 201)
  if (pathname === '/token')
    return new URLSearchParams(body).get('grant_type') === 'refresh_token' ? tokens(renew()) : tokens(token)
  if (pathname !== '/authorize') return undefined
  const back = new URL(searchParams.get('redirect_uri') ?? origin)
  back.searchParams.set('code', 'the-code')
  back.searchParams.set('state', searchParams.get('state') ?? '')
  return { status: 302, headers: { location: back.href }, body: {} }
}
