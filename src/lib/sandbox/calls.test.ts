import { describe, expect, test } from 'vitest'
import { callFilter } from './calls.ts'

/** What the kernel would do with one call: it runs the filter on the number, the processor and the first argument. */
function verdictOf(processor: string, { arch, number, argument = 0 }: Call): string {
  const program = callFilter(processor)!
  const data = new Map([
    [0, number],
    [4, arch],
    [16, argument],
  ])
  let loaded = 0
  for (let at = 0; at < program.length / 8; at += 1) {
    const [code, value] = [program.readUInt16LE(at * 8), program.readUInt32LE(at * 8 + 4)]
    const jump = (is: boolean): number => program.readUInt8(at * 8 + (is ? 2 : 3))
    if (code === 0x20) loaded = data.get(value)!
    else if (code === 0x15) at += jump(loaded === value)
    else if (code === 0x35) at += jump(loaded >= value)
    else if (code === 0x06) return value === 0x7fff0000 ? 'allowed' : `error ${value - 0x00050000}`
    else return `no such instruction: ${code}`
  }
  return 'ran over its end'
}

interface Call {
  readonly arch: number
  readonly number: number
  readonly argument?: number
}

const VSOCK = 40
const [NO_CALL, NO_FAMILY] = ['error 38', 'error 97']
const [amd, intel, arm, arm32, riscv] = [0xc000003e, 0x40000003, 0xc00000b7, 0x40000028, 0xc00000f3]

describe('the filter of system calls', () => {
  test.for([
    { processor: 'x64', arch: amd, sockets: [41, 53], keys: [248, 249, 250] },
    { processor: 'x64', arch: intel, sockets: [359, 360], keys: [286, 287, 288] },
    { processor: 'arm64', arch: arm, sockets: [198, 199], keys: [217, 218, 219] },
    { processor: 'arm64', arch: arm32, sockets: [281, 288], keys: [309, 310, 311] },
    { processor: 'riscv64', arch: riscv, sockets: [198, 199], keys: [217, 218, 219] },
  ])('of $processor judges calls of $arch by number and family', ({ processor, arch, sockets, keys }) => {
    const verdict = (number: number, argument?: number): string =>
      verdictOf(processor, { arch, number, ...(argument === undefined ? {} : { argument }) })
    for (const number of sockets) {
      expect([1, 2, 10, 16].map((family) => verdict(number, family))).toEqual(Array(4).fill('allowed'))
      expect([0, 3, 9, 11, 15, 17, VSOCK].map((family) => verdict(number, family))).toEqual(Array(7).fill(NO_FAMILY))
    }
    expect([...keys, 425].map((number) => verdict(number))).toEqual(Array(4).fill(NO_CALL))
    expect([0, 1, 39, 424, 426].map((number) => verdict(number))).toEqual(Array(5).fill('allowed'))
  })

  test('refuses every x32 call, whose numbers are others', () => {
    expect([0x40000000, 0x40000029, 0x7fffffff].map((number) => verdictOf('x64', { arch: amd, number }))).toEqual(
      Array(3).fill(NO_CALL),
    )
    expect(verdictOf('x64', { arch: amd, number: 0x3fffffff })).toBe('allowed')
  })

  test('lets the one call for all sockets make none, as their families cannot be seen', () => {
    const through = (call: number): string => verdictOf('x64', { arch: intel, number: 102, argument: call })
    expect([1, 8].map(through)).toEqual([NO_FAMILY, NO_FAMILY])
    expect([2, 3, 7, 9, 20].map(through)).toEqual(Array(5).fill('allowed'))
  })

  test('refuses every call of a processor that it does not know', () => {
    expect([0, 1, 41].map((number) => verdictOf('arm64', { arch: amd, number }))).toEqual(Array(3).fill(NO_CALL))
  })
})
