import type { IncomingMessage } from 'node:http'
import { AppError } from '../../contract/errors.ts'

/** Refuses a request that was not addressed to this server or comes from a foreign page; looks at nothing else. */
export type Gate = (request: Pick<IncomingMessage, 'url' | 'headersDistinct'>) => AppError | undefined

interface Bound {
  readonly host: string
  readonly port: number
  readonly publicUrl?: string | undefined
}

/** The gate comes before routing and before any token, so that another site's name or page never gets that far. */
export function createGate(bound: Bound): Gate {
  const hosts = ownHosts(bound)
  const origins = ownOrigins(bound)

  return ({ url, headersDistinct }) => {
    const host = headersDistinct.host ?? []
    if (host.length !== 1 || !hosts.has(host[0]!.toLowerCase())) return wrongHost(host[0])
    // A full address in the request line would override Host further on.
    if (url?.startsWith('/') !== true) return wrongHost(url)
    const foreign = (headersDistinct.origin ?? []).find((origin) => !origins.has(origin.toLowerCase()))
    return foreign === undefined ? undefined : wrongOrigin(foreign)
  }
}

const loopbackNames = ['localhost', '127.0.0.1', '[::1]']
const wildcards = ['0.0.0.0', '::', '[::]', '']

function ownHosts({ host, port, publicUrl }: Bound): Set<string> {
  const names = wildcards.includes(host) ? loopbackNames : [...loopbackNames, bracketed(host)]
  const hosts = new Set(names.map((name) => `${name}:${port}`))
  // Clients leave the port out where it is the protocol's own.
  if (port === 80) for (const name of names) hosts.add(name)
  if (publicUrl !== undefined) hosts.add(new URL(publicUrl).host.toLowerCase())
  return hosts
}

function ownOrigins(bound: Bound): Set<string> {
  const origins = new Set([...ownHosts({ host: bound.host, port: bound.port })].map((host) => `http://${host}`))
  if (bound.publicUrl !== undefined) origins.add(new URL(bound.publicUrl).origin.toLowerCase())
  return origins
}

export const bracketed = (host: string): string =>
  (host.includes(':') && !host.startsWith('[') ? `[${host}]` : host).toLowerCase()

export const requestPath = (request: Pick<IncomingMessage, 'url'>): string => (request.url ?? '').split('?')[0]!

const shown = (text: string | undefined): string => (text ?? '').slice(0, 100)

const wrongHost = (host: string | undefined): AppError =>
  new AppError('auth.host', `This server does not answer to the host "${shown(host)}".`, {
    hint: 'Use the address that "troupe status" shows, or set server.publicUrl.',
  })

const wrongOrigin = (origin: string): AppError =>
  new AppError('auth.origin', `Pages of "${shown(origin)}" may not call this server.`, {
    hint: 'Open the page at the address that "troupe status" shows, or set server.publicUrl.',
  })
