import { mkdtempSync, rmSync } from 'node:fs'
import type { Server } from 'node:http'
import { isIP, type LookupFunction } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FetchRefused, type Guard, pinnedTo, targetOf } from '../net/guarded-target.ts'
import { isLocalName, isLoopback } from '../net/loopback.ts'
import { isListed, isListedAddress } from './hosts.ts'

const KEPT = 20

interface Proxy {
  readonly server: Server
  readonly path: string
}

interface Kept {
  readonly proxy: Promise<Proxy>
  users: number
}

/** Oldest first. */
const proxies = new Map<string, Kept>()
let folder: string | undefined
let made = 0

/** What the proxy needs to know of this machine: its own server, and how names are resolved. */
export type Around = Pick<Guard, 'own' | 'resolve'>

export interface ProxyInUse {
  /** Its Unix socket. */
  readonly path: string
  /** Says that the command is over. */
  release(): void
}

/** A proxy that connects to these hosts only, and to no private address that is not listed itself. */
export async function useProxy(hosts: readonly string[], around: Around): Promise<ProxyInUse> {
  const key = JSON.stringify([around.own, [...hosts].sort()])
  const kept = proxies.get(key) ?? begin(key, hosts, around)
  kept.users += 1
  let released = false
  const release = (): void => {
    if (!released) kept.users -= 1
    released = true
  }
  try {
    return { path: (await kept.proxy).path, release }
  } catch (error) {
    proxies.delete(key)
    throw error
  }
}

function begin(key: string, hosts: readonly string[], around: Around): Kept {
  if (proxies.size >= KEPT) forgetUnused()
  const kept: Kept = { proxy: start(hosts, around), users: 0 }
  proxies.set(key, kept)
  return kept
}

/** Rules change, and with each change there is another list of hosts. */
function forgetUnused(): void {
  const unused = [...proxies].find(([, { users }]) => users === 0)
  if (unused === undefined)
    throw new Error(`Commands with ${KEPT} different lists of hosts run already; wait until one of them has ended.`)
  proxies.delete(unused[0])
  unused[1].proxy.then(({ server }) => server.close().closeAllConnections()).catch(() => {})
}

/** The proxy comes from the sandbox runtime; which hosts and addresses it may connect to is decided here. */
async function start(hosts: readonly string[], around: Around): Promise<Proxy> {
  const { createHttpProxyServer } = await import('@anthropic-ai/sandbox-runtime/dist/sandbox/http-proxy.js')
  const check = (host: string, port: number) =>
    targetOf(urlOf(host, port), guardOf(port, hosts, around)).then(({ addresses }) => addresses)
  const may = (host: string, port: number): Promise<boolean> =>
    check(host, port).then(
      () => true,
      () => false,
    )
  const server: Server = createHttpProxyServer({
    // What is an address already is not looked up.
    filter: async (port: number, host: string) => isListed(host, port, hosts) && (!isAddress(host) || may(host, port)),
    lookupFor: await checkedLookup(check),
    requireAsciiHost: true,
  })
  made += 1
  const path = join(socketFolder(), `${made}.sock`)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, resolve)
  })
  server.unref()
  return { server, path }
}

const urlOf = (host: string, port: number): URL =>
  new URL(`http://${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${port}`)

/** Also as `127.1` or `0x7f000001`. */
const isAddress = (host: string): boolean => isIP(urlOf(host, 80).hostname.replace(/^\[|\]$|\.$/g, '')) !== 0

/** As for the tools of the web: only an address that is listed itself, or a name that always means this machine, may be private. */
const guardOf = (port: number, hosts: readonly string[], around: Around): Guard => ({
  ...around,
  allows: (address, { hostname }) =>
    isListedAddress(address, port, hosts) || (isLocalName(hostname) && isLoopback(address)),
})

/** A name is resolved once, every address is checked, and the proxy connects to one that was. */
async function checkedLookup(
  check: (host: string, port: number) => Promise<readonly string[]>,
): Promise<(port: number) => LookupFunction> {
  const { ResolvedAddressDeniedError } = await import(
    '@anthropic-ai/sandbox-runtime/dist/sandbox/resolved-address-guard.js'
  )
  return (port) => (host, options, answer) => {
    check(host, port).then(
      (addresses) => pinnedTo(addresses)(host, options, answer),
      (error: Error) => {
        const isPrivate = error instanceof FetchRefused && error.cause === undefined
        answer(isPrivate ? new ResolvedAddressDeniedError(host, error.message, []) : error, '')
      },
    )
  }
}

function socketFolder(): string {
  if (folder === undefined) {
    const made = mkdtempSync(join(tmpdir(), 'troupe-proxy-'))
    folder = made
    process.once('exit', () => rmSync(made, { recursive: true, force: true }))
  }
  return folder
}
