import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { inFolder } from '../folder.ts'
import { serve } from '../processes.ts'
import type { Options, Row } from '../suite.ts'
import { startVendor } from '../vendor.ts'
import { noted, notedFile } from './job.ts'

const ROUNDS = { quick: 5, full: 20 }
const LONGEST_MS = 1500
const here = (name: string): string => new URL(name, import.meta.url).pathname

interface Round {
  /** Calls whose tool did its work. */
  readonly done: number
  /** Of these, calls whose result went out in the next model request. */
  readonly seen: number
  /** Of the seen ones, those in the log afterwards. */
  readonly found: number
}

/** Kills a working server with kill -9 at any moment. Every call whose result the vendor saw must be in the log. */
export async function kill(options: Options): Promise<Row[]> {
  return inFolder(async (folder) => {
    const witness = join(folder, 'witness.jsonl')
    const vendor = await startVendor(here('./script.ts'), witness)
    const rounds: Round[] = []
    try {
      for (let round = 1; round <= (options.quick ? ROUNDS.quick : ROUNDS.full); round++) {
        const afterMs = Math.random() * LONGEST_MS
        const result = await inFolder((own) => killOnce(own, vendor.baseURL, witness, afterMs))
        options.progress(`kill ${round}: after ${afterMs.toFixed(0)} ms, seen ${result.seen}, found ${result.found}`)
        rounds.push(result)
      }
    } finally {
      await vendor.stop()
    }
    return rowsOf(rounds)
  })
}

async function killOnce(folder: string, vendor: string, witness: string, afterMs: number): Promise<Round> {
  const worker = await serve(here('./child.ts'), [folder, vendor])
  await pause(afterMs)
  await worker.kill()
  const done = existsSync(notedFile(folder)) ? readFileSync(notedFile(folder), 'utf8').trim().split('\n') : []
  const told = numbersIn(existsSync(witness) ? readFileSync(witness, 'utf8') : '')
  const stored = resultsIn(join(folder, 'home', 'data.db'))
  const seen = done.filter((n) => told.has(n))
  const lost = seen.filter((n) => !stored.has(n))
  if (lost.length > 0)
    throw new Error(`${lost.length} of ${seen.length} finished calls are not on disk: ${lost.slice(0, 10).join(', ')}.`)
  return { done: done.length, seen: seen.length, found: seen.length - lost.length }
}

/** The results in the log, as another program reads them. */
function resultsIn(file: string): Set<string> {
  const db = new DatabaseSync(file)
  const rows = db.prepare("select parts from messages where role = 'tool'").all() as { parts: string }[]
  db.close()
  return numbersIn(rows.map(({ parts }) => parts).join('\n'))
}

const numbersIn = (text: string): Set<string> => new Set([...text.matchAll(noted)].map(([, n]) => n!))

function rowsOf(rounds: readonly Round[]): Row[] {
  const sum = (value: (round: Round) => number): number => rounds.reduce((total, round) => total + value(round), 0)
  const row = (label: string, value: number): Row => ({ label, unit: 'calls', digits: 0, rounds: { ours: [value] } })
  const [done, seen, found] = [sum((r) => r.done), sum((r) => r.seen), sum((r) => r.found)]
  if (seen === 0) throw new Error('No call was finished before a kill; nothing was shown.')
  return [
    row(`${rounds.length} kills: tools that did their work`, done),
    row('of these, results that the vendor saw', seen),
    row('of these, results on disk', found),
    { ...row('finished and not on disk', seen - found), most: 0 },
  ]
}
