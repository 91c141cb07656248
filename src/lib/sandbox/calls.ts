import { mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * A filter of system calls, for what neither mounts nor namespaces close:
 * - Some families of sockets belong to no network: by vsock a virtual machine speaks to its host, also from `strict`. So a
 *   command has Unix, IP and netlink sockets only.
 * - io_uring makes sockets without the call that is looked at here.
 * - Keys that other programs of the user keep in the kernel.
 * Everything else is allowed. The person's terminal needs nothing here: a command has a session and a /dev of its own.
 */

/** The numbers of one way to call the kernel; a processor also runs programs of its 32-bit kin. */
interface Numbers {
  /** AUDIT_ARCH_… of linux/audit.h. */
  readonly arch: number
  /** socket, socketpair. */
  readonly sockets: readonly number[]
  /** add_key, request_key, keyctl. */
  readonly keys: readonly number[]
  /** From here on numbers are those of another way: x32. */
  readonly end?: number
  /** The one call for all that has to do with sockets, on 32-bit x86. */
  readonly socketcall?: number
}

const x86: Numbers[] = [
  { arch: 0xc000003e, sockets: [41, 53], keys: [248, 249, 250], end: 0x40000000 },
  { arch: 0x40000003, sockets: [359, 360], keys: [286, 287, 288], socketcall: 102 },
]
const arm: Numbers[] = [
  { arch: 0xc00000b7, sockets: [198, 199], keys: [217, 218, 219] },
  { arch: 0x40000028, sockets: [281, 288], keys: [309, 310, 311] },
]
const riscv: Numbers[] = [{ arch: 0xc00000f3, sockets: [198, 199], keys: [217, 218, 219] }]

const numbersOf: Partial<Record<string, readonly Numbers[]>> = { x64: x86, arm64: arm, riscv64: riscv }

const IO_URING_SETUP = 425
/** Unix, IPv4, IPv6, netlink. */
const families = [1, 2, 10, 16]

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number]

/** struct seccomp_data of linux/seccomp.h. Of the first argument the low half counts, as for the kernel. */
const at = { number: 0, arch: 4, argument: 16 }
const load = (offset: number): Instruction => [0x20, 0, 0, offset]
const answer = (value: number): Instruction => [0x06, 0, 0, value]
const allow = answer(0x7fff0000)
const fail = (errno: number): Instruction => answer(0x00050000 + errno)
const [noSuchCall, noSuchFamily] = [fail(38), fail(97)]

/** What is done when the loaded number is this one. It has to end with an answer. */
const when = (value: number, then: readonly Instruction[]): Instruction[] => [[0x15, 0, then.length, value], ...then]
const fromOn = (value: number, then: readonly Instruction[]): Instruction[] => [[0x35, 0, then.length, value], ...then]

const byFamily = [load(at.argument), ...families.flatMap((family) => when(family, [allow])), noSuchFamily]

/** Its first argument says which call is meant: 1 is socket, 8 is socketpair. Those of theirs cannot be looked at. */
const bySocketcall = [load(at.argument), ...[1, 8].flatMap((call) => when(call, [noSuchFamily])), allow]

const judged = ({ sockets, keys, end, socketcall }: Numbers): Instruction[] => [
  load(at.number),
  ...(end === undefined ? [] : fromOn(end, [noSuchCall])),
  ...sockets.flatMap((number) => when(number, byFamily)),
  ...(socketcall === undefined ? [] : when(socketcall, bySocketcall)),
  ...[...keys, IO_URING_SETUP].flatMap((number) => when(number, [noSuchCall])),
  allow,
]

/** The filter as bubblewrap takes it, a program of classic BPF; undefined for a processor that is not in the table. */
export function callFilter(processor: string = process.arch): Buffer | undefined {
  const ways = numbersOf[processor]
  if (ways === undefined) return undefined
  const program = [load(at.arch), ...ways.flatMap((way) => when(way.arch, judged(way))), noSuchCall]
  return Buffer.concat(program.map(bytesOf))
}

function bytesOf([code, ifTrue, ifFalse, value]: Instruction): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeUInt16LE(code, 0)
  bytes.writeUInt8(ifTrue, 2)
  bytes.writeUInt8(ifFalse, 3)
  bytes.writeUInt32LE(value, 4)
  return bytes
}

let kept: number | undefined

/** The filter as an open file, read from its beginning by whoever gets it; undefined where there is none. */
export function openCallFilter(): number | undefined {
  const filter = callFilter()
  if (filter === undefined) return undefined
  kept ??= nameless(filter)
  return openSync(`/proc/self/fd/${kept}`, 'r')
}

function nameless(content: Buffer): number {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-calls-'))
  try {
    writeFileSync(join(folder, 'filter'), content)
    return openSync(join(folder, 'filter'), 'r')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
