import { wildcard } from '../wildcard.ts'

const usualPorts = [443, 80]

/**
 * Hosts are compared as names, letter by letter: an address spelled in another way is another name. An entry without a
 * port means the usual ones; one that begins with `!` closes what the others open, and in it every `*` is any text.
 */
export function isListed(host: string, port: number, hosts: readonly string[]): boolean {
  const name = plain(host)
  return openIn(hosts).some((entry) => opens(entry, name, port)) && !isClosed(name, port, hosts)
}

/** The address itself is listed: no name, and no pattern, which would be about names. */
export function isListedAddress(address: string, port: number, hosts: readonly string[]): boolean {
  const exact = openIn(hosts).filter((entry) => !entry.includes('*'))
  return exact.some((entry) => opens(entry, plain(address), port)) && !isClosed(plain(address), port, hosts)
}

const plain = (host: string): string => host.toLowerCase().replace(/\.$/, '')

const openIn = (hosts: readonly string[]): string[] => hosts.filter((entry) => !entry.startsWith('!'))

const isClosed = (name: string, port: number, hosts: readonly string[]): boolean =>
  hosts.some((entry) => entry.startsWith('!') && [name, `${name}:${port}`].some((one) => closes(entry.slice(1), one)))

function opens(entry: string, name: string, port: number): boolean {
  const [wanted = '', at] = entry.toLowerCase().split(':')
  const isIt = wanted.startsWith('*.')
    ? name.endsWith(wanted.slice(1)) && name.length > wanted.length - 1
    : name === wanted
  return isIt && (at === undefined ? usualPorts.includes(port) : Number(at) === port)
}

/** Also an untrusted project can close hosts. */
const closes = (entry: string, name: string): boolean => wildcard(entry.toLowerCase(), name)
