import { isIPv6 } from 'node:net'
import { AppError } from '../../contract/errors.ts'
import { type ToolContext, version } from '../../core/base/index.ts'
import { whyNotPublic } from '../../lib/net/addresses.ts'
import { guardedFetch, type OutgoingRequest } from '../../lib/net/guarded-fetch.ts'
import { FetchRefused } from '../../lib/net/guarded-target.ts'
import { isLocalName, isLoopback } from '../../lib/net/loopback.ts'

const THIS_MACHINE = '127.0.0.1'
const usualPorts = ['', '80', '443']

/** What a rule has to name: the host, and the port unless it is a usual one. */
export const hostAndPort = ({ hostname, port }: URL): string =>
  `${hostname.replace(/\.$/, '')}${usualPorts.includes(port) ? '' : `:${port}`}`

/** Why the host as it is written cannot be public; of other names this is known only once they are resolved. */
export function whyPrivate({ hostname }: URL): string | undefined {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  if (isLocalName(host)) return whyNotPublic(THIS_MACHINE)
  return /^[\d.]+$|:/.test(host) ? whyNotPublic(host) : undefined
}

type Asked = Pick<OutgoingRequest, 'method' | 'headers' | 'body' | 'follows' | 'limits'> & {
  /** Who may be reached although it is not public; unless told, what the rules of the session name. */
  readonly allows?: OutgoingRequest['allows']
  /** What the person can do about an address that is not public, where it is not a rule. */
  readonly wayOut?: string
}

/** Sends a request of a tool. What may not be reached and what fails is a sentence for the model. */
export async function fetchFor(context: ToolContext, address: string, { headers, wayOut, ...asked }: Asked = {}) {
  const { core, signal } = context
  try {
    return await guardedFetch(address, {
      own: core.url(),
      allows: (found, url) => isNamed(context, found, url),
      signal,
      ...asked,
      headers: { 'user-agent': `troupe/${version}`, ...headers },
    })
  } catch (error) {
    if (!(error instanceof FetchRefused)) throw error
    const hint = error.address === undefined ? error.hint : (wayOut ?? howToAllow(error.address))
    const more = { ...(hint !== undefined && { hint }), cause: error }
    throw new AppError(error.address === undefined ? 'tool.failed' : 'permission.denied', error.message, more)
  }
}

/** A name is not enough: whoever owns it decides where it leads. The address has to be named, or a name that is always this machine. */
function isNamed({ permits }: ToolContext, address: string, url: URL): boolean {
  const at = new URL(url)
  at.hostname = isIPv6(address) ? `[${address}]` : address
  if (permits(hostAndPort(at))) return true
  return isLocalName(url.hostname) && isLoopback(address) && permits(hostAndPort(url))
}

const howToAllow = (address: string): string =>
  `Only the person can allow this, with the rule "web_fetch(${address})" (and ":port" behind the address for a port other than 80 and 443).`
