import { inFolder } from '../folder.ts'
import { medianOf } from '../numbers.ts'
import { ask, serve } from '../processes.ts'
import { interleave } from '../rounds.ts'
import { type Options, profiling, type Row } from '../suite.ts'
import { charsOfAll, type Loaded, MESSAGES, PAGE, type Question, textAt } from './job.ts'

const ROUNDS = { quick: 5, full: 11 }
const AGAIN = 20
const here = (name: string): string => new URL(name, import.meta.url).pathname

interface Pages {
  readonly firstMs: number
  readonly laterMs: number
}

/** How long after a restart a long session's history can be used, and a person sees a page of it. */
export async function resume(options: Options): Promise<Row[]> {
  return inFolder(async (folder) => {
    const sessionId = await ask<string>(here('./seed.ts'), folder)
    const question = (variant: Question['variant']): Question => ({ variant, folder, sessionId })
    const rounds = options.quick ? ROUNDS.quick : ROUNDS.full

    const loads = await interleave(['bare', 'ours'], rounds, async (variant, round) => {
      const flags = variant === 'ours' ? profiling(options) : []
      const loaded = await ask<Loaded>(here('./child.ts'), question(variant), flags)
      check(loaded)
      options.progress(`resume ${round + 1}: ${variant} ${loaded.wallMs.toFixed(1)} ms, ${loaded.cpuMs.toFixed(1)} CPU`)
      return loaded
    })
    const pages = await interleave(['bare', 'ours'], rounds, (variant) => readPages(question(variant)))
    return rowsOf(loads, pages)
  })
}

async function readPages(question: Question): Promise<Pages> {
  const server = await serve(here('./serve.ts'), [JSON.stringify(question)])
  try {
    const { url, token } = JSON.parse(server.line) as { url: string; token: string }
    const firstMs = await readPage(url, token)
    const later: number[] = []
    for (let at = 0; at < AGAIN; at++) later.push(await readPage(url, token))
    return { firstMs, laterMs: medianOf(later)! }
  } finally {
    await server.stop()
  }
}

async function readPage(url: string, token: string): Promise<number> {
  const began = performance.now()
  const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
  const { items } = (await response.json()) as { items: { parts: { text?: string }[] }[] }
  const ms = performance.now() - began
  const wrong = items.findIndex(({ parts }, at) => parts[0]?.text !== textAt(at))
  if (items.length !== PAGE || wrong !== -1) throw new Error(`${items.length} messages came; wrong is number ${wrong}.`)
  return ms
}

function check({ messages, chars }: Loaded): void {
  if (messages !== MESSAGES || chars !== charsOfAll())
    throw new Error(`${messages} messages with ${chars} characters were loaded, not ${MESSAGES} with ${charsOfAll()}.`)
}

function rowsOf(loads: Record<'bare' | 'ours', Loaded[]>, pages: Record<'bare' | 'ours', Pages[]>): Row[] {
  const loading = (value: (loaded: Loaded) => number) => ({ bare: loads.bare.map(value), ours: loads.ours.map(value) })
  const paging = (value: (page: Pages) => number) => ({ bare: pages.bare.map(value), ours: pages.ours.map(value) })
  return [
    { label: '10,000 messages loaded: wall', unit: 'ms', digits: 1, rounds: loading((l) => l.wallMs), most: 50 },
    { label: '10,000 messages loaded: CPU', unit: 'ms', digits: 1, rounds: loading((l) => l.cpuMs) },
    { label: 'first page of 200 by HTTP, new process', unit: 'ms', digits: 1, rounds: paging((p) => p.firstMs) },
    { label: 'the same page again', unit: 'ms', digits: 1, rounds: paging((p) => p.laterMs) },
  ]
}
