import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { buildPackage } from '../../scripts/packed.ts'
import type { Reply } from '../../src/contract/api.ts'
import { inFolder } from '../folder.ts'
import { AGENT, furnish, type House, MODEL } from '../house.ts'
import { medianOf } from '../numbers.ts'
import { serve } from '../processes.ts'
import type { Options, Row } from '../suite.ts'
import { startVendor } from '../vendor.ts'
import { loads } from './script.ts'

/** The floods of a load come one after the other so often, as one of them may be over in the blink of an eye. */
const TIMES = { quick: 3, full: 10 }
const QUIET_TURNS = 50
const MOST_MS = 1000
const MOST_MB = 400
const NEIGHBOUR = 'neighbour'
const script = new URL('./script.ts', import.meta.url).pathname

interface Neighbour {
  readonly turnsMs: number[]
  readonly looksMs: number[]
  readonly peakMB: number
}

/** How long somebody else waits for a whole turn, and for a list of sessions, while far too much comes in. */
export async function flood(options: Options): Promise<Row[]> {
  return inFolder(async (folder) => {
    const troupe = await buildPackage(folder)
    const rows: Row[] = []
    for (const [load, words] of Object.entries(loads)) {
      const quiet = await measure(troupe, [], 1)
      const ours = await measure(troupe, words, options.quick ? TIMES.quick : TIMES.full)
      options.progress(`flood: ${load}, ${ours.turnsMs.length} turns of a neighbour meanwhile`)
      const row = (label: string, values: (of: Neighbour) => number): Row => ({
        label: `${load}: ${label}`,
        unit: 'ms',
        digits: 1,
        rounds: { bare: [values(quiet)], ours: [values(ours)] },
      })
      rows.push(
        { ...row("a neighbour's turn, longest", ({ turnsMs }) => Math.max(...turnsMs)), most: MOST_MS },
        row("a neighbour's turn, median", ({ turnsMs }) => medianOf(turnsMs)!),
        { ...row('a list of sessions, longest', ({ looksMs }) => Math.max(...looksMs)), most: MOST_MS },
        { ...row('peak memory', ({ peakMB }) => peakMB), unit: 'MB', digits: 0, most: MOST_MB },
      )
    }
    return rows
  })
}

/** A server of its own, the flooding vendor and the neighbour's in processes of their own. */
function measure(troupe: string, words: readonly string[], times: number): Promise<Neighbour> {
  return inFolder(async (folder) => {
    const [wild, calm] = await Promise.all([startVendor(script), startVendor(script)])
    const { home, project } = furnishTwo(folder, wild.baseURL, calm.baseURL)
    const server = await serve(troupe, ['up', '--json', '--port', '0', '--home', home, '--project', project])
    try {
      const say = talker(JSON.parse(server.line) as Door)
      await say.turn(NEIGHBOUR, 'hello')
      let over = false
      const flooded = pour(say, words, times).finally(() => {
        over = true
      })
      const neighbour = { turnsMs: [] as number[], looksMs: [] as number[] }
      while (!over || neighbour.turnsMs.length < QUIET_TURNS) {
        neighbour.turnsMs.push(await timed(() => say.turn(NEIGHBOUR, 'hello')))
        neighbour.looksMs.push(await timed(() => say.look()))
      }
      await flooded
      return { ...neighbour, peakMB: peakOf(server.pid) }
    } finally {
      await Promise.all([server.stop(), wild.stop(), calm.stop()])
    }
  })
}

async function pour(say: ReturnType<typeof talker>, words: readonly string[], times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) await Promise.all(words.map((word) => say.turn(AGENT, word)))
}

/** The same agent twice, each with a vendor of its own: a neighbour whose vendor is busy elsewhere would wait for that. */
function furnishTwo(folder: string, wild: string, calm: string): House {
  const house = furnish(folder, wild, ['bash', 'read_file'])
  const own = join(house.home, 'agents', AGENT)
  const other = join(dirname(own), NEIGHBOUR)
  cpSync(own, other, { recursive: true })
  edit(join(other, 'agent.json'), (agent) => ({ ...agent, model: `calm/${MODEL}` }))
  edit(join(house.home, 'settings.json'), ({ providers, ...settings }) => ({
    ...settings,
    providers: { ...(providers as object), calm: { type: 'openai-compatible', baseURL: calm, apiKey: 'test-key' } },
  }))
  return house
}

function edit(file: string, change: (value: Record<string, unknown>) => object): void {
  writeFileSync(file, JSON.stringify(change(JSON.parse(readFileSync(file, 'utf8')))))
}

interface Door {
  readonly url: string
  readonly token: string
}

function talker({ url, token }: Door) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  async function post<T>(path: string, body: object): Promise<T> {
    const response = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
    return (await response.json()) as T
  }
  return {
    /** A session of its own each time; it resolves with the end of the turn, whatever became of it. */
    async turn(agent: string, content: string): Promise<void> {
      const { id } = await post<{ id: string }>('/api/sessions', { agent })
      const reply = await post<Reply>(`/api/sessions/${id}/messages`, { content, wait: 120 })
      const wrong = agent === NEIGHBOUR && reply.reply !== `Heard: ${content}`
      if (!reply.ended || wrong) throw new Error(JSON.stringify(reply))
    },
    async look(): Promise<void> {
      const response = await fetch(`${url}/api/sessions?limit=20`, { headers })
      if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
      await response.arrayBuffer()
    },
  }
}

async function timed(work: () => Promise<void>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

/** The most memory that the process ever had. */
const peakOf = (pid: number): number =>
  Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
