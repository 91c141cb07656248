import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { buildPackage } from '../../scripts/packed.ts'
import type { Reply } from '../../src/contract/api.ts'
import { givesBack } from '../../src/lib/process/memory.ts'
import { startVendor } from '../../test/kit/vendor/server.ts'
import { inFolder } from '../folder.ts'
import { AGENT, furnish } from '../house.ts'
import { serve } from '../processes.ts'
import { interleave } from '../rounds.ts'
import type { Options, Row } from '../suite.ts'
import { buildFloor } from './floor-build.ts'
import { cpuOf, rssOf } from './usage.ts'

const ROUNDS = { quick: 3, full: 9 }
/** Longer than the server takes until it gives back what its start needed. */
const SETTLE_MS = 5000
const ANSWER = 'It works.'

interface Begun {
  readonly readyMs: number
  readonly requestMs: number
  /** The processor time used until the request; empty where the system does not tell it. */
  readonly cpuMs: readonly number[]
  /** After the call. */
  readonly rssMB: number
}

/** What a start takes, with the program as it is published. */
export async function start(options: Options): Promise<Row[]> {
  return inFolder(async (folder) => {
    const [troupe, floor] = [await buildPackage(folder), await buildFloor(folder)]
    const vendor = await startVendor()
    let seen = Promise.withResolvers<number>()
    vendor.script(() => {
      seen.resolve(performance.now())
      return { text: ANSWER }
    })

    const raw = (): Promise<Begun> =>
      inFolder(async (own) => {
        seen = Promise.withResolvers()
        const began = performance.now()
        const process = await serve(floor, [vendor.baseURL, own])
        const readyMs = performance.now() - began
        const answer = process.next()
        const requestMs = (await before(answer, seen.promise)) - began
        const cpuMs = cpuOf(process.pid)
        check(await answer)
        const rssMB = rssOf(process.pid)
        await process.stop()
        return { readyMs, requestMs, cpuMs, rssMB }
      })

    const ours = (): Promise<Begun> =>
      inFolder(async (own) => {
        const up = upIn(own, vendor.baseURL)
        seen = Promise.withResolvers()
        const began = performance.now()
        const server = await serve(troupe, up)
        const readyMs = performance.now() - began
        const reply = say(JSON.parse(server.line))
        const requestMs = (await before(reply, seen.promise)) - began
        const cpuMs = cpuOf(server.pid)
        check((await reply).reply)
        const rssMB = rssOf(server.pid)
        await server.stop()
        return { readyMs, requestMs, cpuMs, rssMB }
      })

    const idle = (flags: readonly string[]): Promise<number> =>
      inFolder(async (own) => {
        const server = await serve(troupe, upIn(own, vendor.baseURL), flags)
        await pause(SETTLE_MS)
        const rssMB = rssOf(server.pid)
        await server.stop()
        return rssMB
      })

    try {
      const rounds = options.quick ? ROUNDS.quick : ROUNDS.full
      // The first run of each fills the compile cache, as the first start after an installation does.
      await raw()
      const first = await ours()
      await timed([troupe, '--help'])
      const begun = await interleave(['raw', 'ours'], rounds, async (variant, round) => {
        const result = await (variant === 'raw' ? raw() : ours())
        options.progress(
          `start ${round + 1}: ${variant} ready ${result.readyMs.toFixed(0)} ms, request ${result.requestMs.toFixed(0)} ms`,
        )
        return result
      })
      const help = await interleave(['bare', 'ours'], rounds, (variant) =>
        timed(variant === 'bare' ? ['--eval', '0'] : [troupe, '--help']),
      )
      const empty: { background: number[]; foreground: number[] } = { background: [], foreground: [] }
      for (let round = 0; round < rounds; round++) {
        empty.background.push(await idle(givesBack))
        empty.foreground.push(await idle([]))
      }
      return rowsOf(begun, help, empty, first)
    } finally {
      await vendor.close()
    }
  })
}

function rowsOf(
  { raw, ours }: Record<'raw' | 'ours', Begun[]>,
  help: Record<'bare' | 'ours', number[]>,
  empty: { background: number[]; foreground: number[] },
  first: Begun,
): Row[] {
  const both = (value: (begun: Begun) => number) => ({ raw: raw.map(value), ours: ours.map(value) })
  return [
    {
      label: 'process start to first model request: CPU',
      unit: 'ms',
      digits: 0,
      rounds: { raw: raw.flatMap((b) => b.cpuMs), ours: ours.flatMap((b) => b.cpuMs) },
      goal: { raw: 2.5 },
    },
    { label: 'process start to first model request: wall', unit: 'ms', digits: 0, rounds: both((b) => b.requestMs) },
    { label: 'process start to ready', unit: 'ms', digits: 0, rounds: both((b) => b.readyMs) },
    { label: 'the first start ever, to ready', unit: 'ms', digits: 0, rounds: { ours: [first.readyMs] } },
    {
      label: 'RSS of an idle server, as commands start it',
      unit: 'MB',
      digits: 1,
      rounds: { ours: empty.background },
      most: 90,
    },
    { label: 'the same, in the foreground', unit: 'MB', digits: 1, rounds: { ours: empty.foreground } },
    { label: 'RSS after one call', unit: 'MB', digits: 1, rounds: both((b) => b.rssMB) },
    { label: 'troupe --help against an empty script', unit: 'ms', digits: 0, rounds: help, most: 200 },
  ]
}

function upIn(folder: string, vendor: string): string[] {
  const { home, project } = furnish(folder, vendor, [])
  return ['up', '--json', '--port', '0', '--home', home, '--project', project]
}

async function say({ url, token }: { url: string; token: string }): Promise<Reply> {
  const response = await fetch(`${url}/api/mail`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ to: AGENT, content: 'hello', wait: 60 }),
  })
  return (await response.json()) as Reply
}

/** Waits for a value that comes before an answer, and fails when the answer fails. */
const before = <T>(answer: Promise<unknown>, value: Promise<T>): Promise<T> =>
  Promise.race([value, answer.then(() => value)])

function check(answer: string | undefined): void {
  if (!answer?.includes(ANSWER)) throw new Error(`The answer should be "${ANSWER}", it is "${answer}".`)
}

/** How long a Node process takes from start to end; it has to succeed. */
async function timed(words: readonly string[]): Promise<number> {
  const began = performance.now()
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'ignore', 'inherit'] })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`node ${words.join(' ')} ended with ${code}.`)
  return performance.now() - began
}
