import { BlockList, isIP } from 'node:net'

/** Addresses that are not one machine in the public internet, with what they are for. */
const ranges: readonly (readonly [kind: string, ...subnets: string[]])[] = [
  ['an address of this machine', '127.0.0.0/8', '0.0.0.0/8', '::/127'],
  ['a private address', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7', 'fec0::/10', '64:ff9b:1::/48'],
  ['a link-local address, where clouds keep credentials', '169.254.0.0/16', 'fe80::/10'],
  ["an address of a provider's own network", '100.64.0.0/10', '168.63.129.16/32'],
  ['a multicast address', '224.0.0.0/4', 'ff00::/8'],
  ['a reserved address', '240.0.0.0/4', '192.0.0.0/24', '192.88.99.0/24', '198.18.0.0/15', '2001::/23', '::/96'],
  ['an address for examples', '192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', '2001:db8::/32', '3fff::/20'],
]

const lists = ranges.map(([kind, ...subnets]) => {
  const list = new BlockList()
  for (const subnet of subnets) {
    const [net = '', prefix] = subnet.split('/')
    list.addSubnet(net, Number(prefix), familyOf(net))
  }
  return { kind, list }
})

/** All of IPv6 that is given to machines, and the two ways of writing an IPv4 address that are used beside it. */
const unicast = new BlockList()
unicast.addSubnet('2000::', 3, 'ipv6')
unicast.addSubnet('::ffff:0:0', 96, 'ipv6')
unicast.addSubnet('64:ff9b::', 96, 'ipv6')

/** What keeps an address from being public, in words; an address that carries another one is judged by that as well. */
export function whyNotPublic(address: string): string | undefined {
  const plain = address.replace(/%.*$/, '')
  if (isIP(plain) === 0) return 'no address'
  const family = familyOf(plain)
  const found = lists.find(({ list }) => list.check(plain, family))
  if (found) return found.kind
  if (family === 'ipv4') return undefined
  if (!unicast.check(plain, 'ipv6')) return 'a reserved address'
  const within = embedded(plain)
  const why = within && whyNotPublic(within)
  return why && `${within} in other words, ${why}`
}

/** The IPv4 address within a mapped, NAT64, 6to4 or ISATAP address. */
function embedded(address: string): string | undefined {
  const [first, second, third, , , sixth, ...last] = groupsOf(address)
  if (first === 0x2002) return dotted(second, third)
  const isMapped = first === 0 && sixth === 0xffff
  const isTranslated = first === 0x64 && second === 0xff9b
  const isIsatap = sixth === 0x5efe
  return isMapped || isTranslated || isIsatap ? dotted(last[0], last[1]) : undefined
}

/** The URL parser writes every IPv6 address as hexadecimal groups with at most one gap. */
function groupsOf(address: string): number[] {
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const numbers = (text: string): number[] =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16))
  const [before, after] = [numbers(head), numbers(tail ?? '')]
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after]
}

const dotted = (high = 0, low = 0): string => [high >> 8, high & 255, low >> 8, low & 255].join('.')

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6'
}
