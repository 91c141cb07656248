import { mkdtempSync, rmSync } from 'node:fs'
import type { Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const KEPT = 20
const proxies = new Map<string, Promise<string>>()
let folder: string | undefined

/** The Unix socket of a proxy that connects to these hosts only. The proxy comes from the sandbox runtime. */
export function proxyFor(hosts: readonly string[]): Promise<string> {
  const key = [...hosts].sort().join(',')
  const known = proxies.get(key)
  if (known !== undefined) return known
  if (proxies.size >= KEPT)
    return Promise.reject(new Error('Too many different lists of hosts are in use; restart the server.'))
  const started = start(hosts, proxies.size)
  proxies.set(key, started)
  started.catch(() => proxies.delete(key))
  return started
}

async function start(hosts: readonly string[], number: number): Promise<string> {
  const { createHttpProxyServer } = await import('@anthropic-ai/sandbox-runtime/dist/sandbox/http-proxy.js')
  const server: Server = createHttpProxyServer({
    filter: (port: number, host: string) => isListed(host, port, hosts),
    requireAsciiHost: true,
  })
  const path = join(socketFolder(), `${number}.sock`)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, resolve)
  })
  server.unref()
  return path
}

const usualPorts = [443, 80]

/**
 * Hosts are compared as names, letter by letter: an address spelled in another way is another name. An entry without a
 * port means the usual ones; one that begins with `!` closes what the others open, and in it every `*` is any text.
 */
export function isListed(host: string, port: number, hosts: readonly string[]): boolean {
  const name = host.toLowerCase().replace(/\.$/, '')
  const [closed, open] = [
    hosts.filter((entry) => entry.startsWith('!')),
    hosts.filter((entry) => !entry.startsWith('!')),
  ]
  return open.some((entry) => opens(entry, name, port)) && !closed.some((entry) => closes(entry.slice(1), name))
}

function opens(entry: string, name: string, port: number): boolean {
  const [wanted = '', at] = entry.toLowerCase().split(':')
  const isIt = wanted.startsWith('*.')
    ? name.endsWith(wanted.slice(1)) && name.length > wanted.length - 1
    : name === wanted
  return isIt && (at === undefined ? usualPorts.includes(port) : Number(at) === port)
}

const closes = (entry: string, name: string): boolean =>
  new RegExp(
    `^${entry
      .toLowerCase()
      .replace(/[^\w*-]/g, '\\$&')
      .replaceAll('*', '.*')}$`,
  ).test(name)

function socketFolder(): string {
  if (folder === undefined) {
    const made = mkdtempSync(join(tmpdir(), 'troupe-proxy-'))
    folder = made
    process.once('exit', () => rmSync(made, { recursive: true, force: true }))
  }
  return folder
}
