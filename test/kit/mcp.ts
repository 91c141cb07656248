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

export interface HttpMcp {
  readonly url: string
  readonly host: string
  /** The headers of each request, in order. */
  readonly seen: IncomingHttpHeaders[]
}

interface HttpMcpOptions {
  /** What the tool "tell" answers. */
  readonly tells?: string
  /** Without this header a request is answered with 401. */
  readonly token?: string
}

interface Asked {
  readonly id?: number
  readonly method: string
}

/** A server over HTTP with one tool, that keeps what it was sent. */
export async function openHttpMcp({ tells = 'told', token }: HttpMcpOptions = {}): Promise<HttpMcp> {
  const seen: IncomingHttpHeaders[] = []
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
    if (token !== undefined && request.headers.authorization !== `Bearer ${token}`) response.writeHead(401).end()
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
  return { url: `http://${host}/mcp`, host, seen }
}
