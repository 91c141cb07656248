import { lookup } from 'node:dns/promises'
import { isIP, isIPv4, type LookupFunction } from 'node:net'
import { networkInterfaces } from 'node:os'
import { whyNotPublic } from './addresses.ts'
import { isLocalName } from './loopback.ts'

/** What was asked for must not be fetched, or cannot be; nothing was sent where it must not go. */
export class FetchRefused extends Error {
  readonly hint: string | undefined
  /** A private address that would have to be allowed. */
  readonly address: string | undefined

  constructor(message: string, { hint, address, cause }: { hint?: string; address?: string; cause?: unknown } = {}) {
    super(message, { cause })
    this.hint = hint
    this.address = address
  }
}

/** Names the addresses of a host; the system's resolver unless a test has another. */
type Resolve = (host: string) => Promise<readonly string[]>

export interface Guard {
  /** The address of this server: nothing may be sent to its port on this machine, whatever is allowed. */
  readonly own: string
  /** Whether an address that is not public may be reached all the same. */
  readonly allows?: ((address: string, url: URL) => boolean) | undefined
  readonly resolve?: Resolve | undefined
}

/** Where a request goes: the host as it was named, and the addresses that were checked, which alone are connected to. */
export interface CheckedTarget {
  readonly url: URL
  readonly addresses: readonly string[]
}

const URL_CHARS = 8000
const THIS_MACHINE = '127.0.0.1'

/** The URL as every later step sees it: only http and https, no credentials. */
export function webUrl(text: string, base?: URL): URL {
  if (text.length > URL_CHARS) throw new FetchRefused(`The address has more than ${URL_CHARS} characters.`)
  const url = URL.parse(text, base?.href)
  if (url === null)
    throw new FetchRefused(`${JSON.stringify(text.slice(0, 200))} is no web address.`, {
      hint: 'Give it whole, for example https://example.com/page.',
    })
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new FetchRefused(`Addresses with ${url.protocol} are not fetched.`, { hint: 'Only http and https are.' })
  if (url.username !== '' || url.password !== '')
    throw new FetchRefused('An address with a user name or password in it is not fetched.', {
      hint: 'Leave out the part before the @.',
    })
  url.hash = ''
  return url
}

/** The host of a URL without brackets and without the dot at its end, which names the same host. */
const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')

/** Resolves the host once and checks every address; one that is not public refuses them all. */
export async function targetOf(url: URL, guard: Guard): Promise<CheckedTarget> {
  const host = hostOf(url)
  const addresses = isIP(host) ? [host] : await resolved(host, guard.resolve ?? system)
  for (const address of addresses) checkAddress(address, url, guard)
  return { url, addresses }
}

/** Answers with the checked addresses, so that the name is not resolved a second time. */
export function pinnedTo(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIPv4(address) ? 4 : 6 }))
  return (_, { all }, answer) => {
    const [first] = found
    if (all) answer(null, found)
    else answer(null, first?.address ?? '', first?.family)
  }
}

/** Throws where this address must not be reached. */
function checkAddress(address: string, url: URL, { own, allows }: Guard): void {
  const host = hostOf(url)
  if (portOf(url) === portOf(new URL(own)) && isThisMachine(address))
    throw new FetchRefused(`${url.host} is the server that runs you; tools do not call it.`)
  const why = whyNotPublic(address)
  if (why === undefined || allows?.(address, url)) return
  const named = address === host ? host : `${host} is at ${address}, which`
  throw new FetchRefused(`Not permitted: ${named} is ${why}.`, { address })
}

async function resolved(host: string, resolve: Resolve): Promise<readonly string[]> {
  const found = await resolve(host).catch((cause: Error) => {
    // Not every resolver knows names below localhost, and they mean this machine all the same.
    if (isLocalName(host)) return [THIS_MACHINE]
    throw new FetchRefused(`The host ${host} is not known.`, { cause, hint: 'Check how it is spelled.' })
  })
  if (found.length > 0) return found
  throw new FetchRefused(`The host ${host} has no address.`)
}

const system: Resolve = async (host) => (await lookup(host, { all: true })).map(({ address }) => address)

const portOf = ({ port, protocol }: URL): number => (port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port))

/** Every spelling of an address of this machine, also its public ones: the server may listen there. */
function isThisMachine(address: string): boolean {
  const why = whyNotPublic(address) ?? ''
  if (why.includes('of this machine')) return true
  const own = Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map((one) => one.address))
  return own.includes(address.replace(/%.*$/, '').replace(/^::ffff:(?=\d+\.)/, ''))
}
