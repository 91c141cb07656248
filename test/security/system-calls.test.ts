import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { callFilter } from '../../src/lib/sandbox/calls.ts'
import { sandboxSupport } from '../../src/lib/sandbox/sandbox.ts'
import { makeCell } from '../kit/cell.ts'

const works = sandboxSupport(process.env, 'strict').program !== undefined
if (!works) console.warn(`!!! NO SANDBOX HERE: ${sandboxSupport(process.env, 'strict').why}`)

const VSOCK = 40
const [NO_SUCH_CALL, NO_SUCH_FAMILY] = [38, 97]

/** Says of each family of sockets whether one can be made, and if not, the number of the error. */
const familiesOf = (...families: number[]): string =>
  `perl -e 'for my $f (@ARGV) { my $made; for my $type (1, 2, 3) { $made ||= socket(my $s, $f, $type, 0) } print "$f ", $made ? "made" : $! + 0, "\\n" }' ${families.join(' ')}`

/** Where the code of `programOf` begins: behind its two headers. */
const ENTRY = 0x400000 + 120

/** The smallest program that Linux starts: machine code for x86_64, ended with the negative of what its call returned. */
function programOf(code: readonly number[]): Buffer {
  const end = [0xf7, 0xd8, 0x89, 0xc7, 0xb8, 60, 0, 0, 0, 0x0f, 0x05]
  const header = Buffer.alloc(120)
  header.write('7f454c46020101', 0, 'hex')
  for (const [at, value] of [
    [16, 2],
    [18, 62],
    [52, 64],
    [54, 56],
    [56, 1],
  ] as const)
    header.writeUInt16LE(value, at)
  for (const [at, value] of [
    [20, 1],
    [64, 1],
    [68, 5],
  ] as const)
    header.writeUInt32LE(value, at)
  for (const [at, value] of [
    [24, ENTRY],
    [32, 64],
    [80, 0x400000],
    [88, 0x400000],
    [96, 4096],
    [104, 4096],
    [112, 4096],
  ] as const)
    header.writeBigUInt64LE(BigInt(value), at)
  return Buffer.concat([header, Buffer.from([...code, ...end])], 4096)
}

const word = (value: number): number[] => [0, 8, 16, 24].map((shift) => (value >>> shift) & 255)

/** socket(family, SOCK_STREAM, 0) as 32-bit programs call it. */
const socket32 = (family: number) => [
  0xb8,
  ...word(359),
  0xbb,
  ...word(family),
  0xb9,
  ...word(1),
  0x31,
  0xd2,
  0xcd,
  0x80,
]
/** The same through socketcall, with the arguments at the end of the program. */
const throughSocketcall = (family: number) => {
  const code = [0xb8, ...word(102), 0xbb, ...word(1), 0xb9, ...word(ENTRY + 19), 0xcd, 0x80, 0xeb, 12]
  return [...code, ...word(family), ...word(1), ...word(0)]
}
const socketX32 = (family: number) => [
  0xb8,
  ...word(0x40000029),
  0xbf,
  ...word(family),
  0xbe,
  ...word(1),
  0x31,
  0xd2,
  0x0f,
  0x05,
]

describe.runIf(works).each(['workspace', 'strict'] as const)('a command in %s', (mode) => {
  test('makes Unix, IP and netlink sockets and no others, so that none reaches the host of a virtual machine', async () => {
    const others = Array.from({ length: 60 }, (_, family) => family).filter((one) => ![1, 2, 10, 16].includes(one))
    const { output } = await makeCell().run(familiesOf(1, 2, 10, 16, ...others), { mode })
    const refused = others.map((family) => `${family} ${NO_SUCH_FAMILY}`)
    expect(output.trim().split('\n')).toEqual([...['1 made', '2 made', '10 made', '16 made'], ...refused])
  })

  test.runIf(process.arch === 'x64').each([
    ['a 32-bit call', programOf(socket32(VSOCK))],
    ['the call that a 32-bit program has for all sockets', programOf(throughSocketcall(VSOCK))],
    ['an x32 call', programOf(socketX32(VSOCK))],
  ])('makes no such socket by %s either', async (_, file) => {
    const cell = makeCell()
    writeFileSync(join(cell.workspace, 'try'), file)
    chmodSync(join(cell.workspace, 'try'), 0o755)
    expect([NO_SUCH_CALL, NO_SUCH_FAMILY]).toContain((await cell.run('./try', { mode })).exitCode)
  })

  test('has no keys of the kernel and no rings that make sockets unseen', async () => {
    const numbers = { x64: [248, 249, 250], arm64: [217, 218, 219] }[process.arch as string] ?? []
    const call = `for (@ARGV) { syscall($_, 0, 0, 0, 0, 0); print $! + 0, " " }`
    const { output } = await makeCell().run(`perl -e '${call}' ${[...numbers, 425].join(' ')}`, { mode })
    expect(output.trim().split(' ')).toEqual([...numbers, 425].map(() => `${NO_SUCH_CALL}`))
  })
})

test.runIf(works && process.arch === 'x64')('32-bit programs make the sockets that others make', async () => {
  const cell = makeCell()
  writeFileSync(join(cell.workspace, 'try'), programOf(socket32(1)))
  chmodSync(join(cell.workspace, 'try'), 0o755)
  const outside = spawnSync(join(cell.workspace, 'try')).status
  expect((await cell.run('./try')).exitCode).toBe(outside)
})

test('where bubblewrap takes no filter, commands run and a sentence says what is open; strict does not', () => {
  const cell = makeCell()
  const programs = join(cell.root, 'programs')
  mkdirSync(programs)
  for (const [name, script] of Object.entries({
    bwrap: 'case "$*" in *--seccomp*) echo "prctl(PR_SET_SECCOMP): Invalid argument" >&2; exit 1;; esac',
    socat: '',
  }))
    writeFileSync(join(programs, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  const { program: found, lacks } = sandboxSupport({ PATH: programs })
  expect(found).toBe(join(programs, 'bwrap'))
  expect(lacks).toContain('without a filter of system calls (prctl(PR_SET_SECCOMP): Invalid argument)')
  expect(sandboxSupport({ PATH: programs }, 'strict').why).toMatch(/sockets of every kind.*Strict needs that\.$/)
})

test('a processor that is not in the table has no filter rather than a wrong one', () => {
  expect(['x64', 'arm64', 'riscv64', 's390x', 'ia32'].map((name) => callFilter(name) !== undefined)).toEqual([
    ...[true, true, true],
    ...[false, false],
  ])
})
