import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { StoreKind } from '../../kit/database.ts'
import { createWire } from '../../kit/wire.ts'
import { type Acknowledged, createClient } from '../client.ts'
import { hasHoles } from '../invariants.ts'
import { type Life, startLife } from '../life.ts'
import { type FaultPlace, inPlace } from '../place.ts'
import { type Rows, readRows, rest } from '../rows.ts'
import { linesOf } from '../scenario.ts'
import { startCluster } from './cluster.ts'
import type { Fault, Ring } from './faults.ts'
import { answer, chat, type Kind, LINES } from './load.ts'
import { startReader } from './readers.ts'
import { type Tally, tally, watchNaps } from './witness.ts'

/** One line of the result. */
export interface Row extends Tally {
  readonly fault: string
  readonly store: StoreKind
  readonly faults: number
  readonly seconds: number
}

interface Campaign {
  readonly faults: readonly Fault[]
  /** How often each is done. */
  times(fault: Fault): number
  readonly sessions: number
  /** Messages a second to all of them together, as long as the server keeps up. */
  readonly rate: number
  readonly readers: number
  readonly long: boolean
  random(): number
}

const LONGEST_LIFE_REQUESTS = { short: 4, long: 30 }
const LONGEST_PAUSE_MS = 100
const REST_SECONDS = 300
const AGENT = 'mover'
/** How much of the server's log is shown when somebody waits in vain. */
const LOG_CHARS = 8000
const RECORDED = 60
const most: readonly Kind[] = ['say', 'read', 'list', 'write', 'ask']
/** Who asks whom is part of the load; how far a chain may go is not what this is about. */
const settings = {
  permissions: { allow: ['bash', 'agent_send(session:*)'] },
  loop: { autoWakeBudget: 100_000, maxHops: 100_000 },
}
const preload = { NODE_OPTIONS: `--import=${new URL('preload.ts', import.meta.url).href}` }

/**
 * One fault after another under the same load, over one database. What was acknowledged, what had an effect and who read
 * which event is kept here, outside the program, and compared with what is there in the end.
 */
export async function campaign(store: StoreKind, plan: Campaign): Promise<Row[]> {
  const cluster = store === 'postgres' ? await startCluster() : undefined
  const wire = createWire()
  return inPlace(
    store,
    async (place) => {
      const naps = watchNaps()
      const heard = counter()
      let downUntil = 0
      place.vendor.script((request) => {
        heard.add()
        naps.look(request)
        if (performance.now() < downUntil) return { error: { kind: 'server', status: 503 } }
        const reply = answer(request)
        for (const { id } of reply.calls ?? []) if (id !== undefined) naps.fellAsleep(id)
        return reply
      })
      let atDeath: (() => void) | undefined
      const life = startLife(place, {
        env: () => preload,
        limit: Number.POSITIVE_INFINITY,
        onDeath: async () => {
          atDeath?.()
          atDeath = undefined
        },
      })
      shareAgent(place.home)
      await life.server()
      const readers = Array.from({ length: plan.readers }, () => startReader(life, plan.random))
      await Promise.all(readers.map(({ began }) => began))
      const before = (await readRows(place)).events.length

      const done: Phase[] = []
      for (const fault of plan.faults) {
        const other = fault.other && startOther(place, fault.other)
        const ring: Omit<Ring, 'heard' | 'wrong'> = {
          place,
          life,
          other,
          wire,
          cluster,
          long: plan.long,
          random: plan.random,
          down: (until) => {
            downUntil = until
          },
          onDeath: (work) => {
            atDeath = work
          },
        }
        done.push(await phase(fault, ring, plan, heard).catch((error: unknown) => stuck(fault, place, error)))
        const exit = await other?.stop()
        if (exit !== undefined && exit.code !== 0) done.at(-1)?.wrong.push(`the second server ended with ${exit.code}`)
      }
      const rows = await readRows(place)
      const read = await readTo(readers, rows.events.length - before)
      const exit = await life.stop()
      const general = [
        ...(exit.code === 0 ? [] : [`the server ended with ${exit.code ?? exit.signal}: ${exit.stderr}`]),
        ...(store === 'sqlite' && hasHoles(rows) ? ['the events have holes'] : []),
        ...place.vendor.rejections.map(({ reason }) => `the vendor refused a history: ${reason}`),
        ...naps.early,
      ]
      const lines = linesOf(join(place.project, LINES))
      return [
        ...done.map((one) => rowOf(one, store, rows, lines)),
        { ...nothing, ...read, fault: 'readers cut off', store, wrong: general },
      ]
    },
    settings,
    { wire: wire.to, ...(cluster && { cluster: cluster.url }) },
  )
}

/** Whoever waits in vain is told what the rows and the server's log say. */
async function stuck({ name }: Fault, place: FaultPlace, error: unknown): Promise<never> {
  const { sessions, timers, mail, events } = await readRows(place)
  const open = sessions.filter(({ turn_id, wanted_at }) => turn_id !== null || wanted_at !== null)
  const asks = mail.filter(({ ask_state }) => ask_state !== null && ask_state !== 'closed')
  const waiting = mail.filter(({ id, state }) => state !== 'taken' || String(error).includes(id))
  const about = new Set([...open.map(({ id }) => id), ...[...asks, ...waiting].map(({ session_id }) => session_id)])
  const record = events.flatMap(({ session_id, type, data }) =>
    session_id !== null && about.has(session_id) ? [`${session_id.slice(0, 4)} ${type} ${data}`] : [],
  )
  const log = readFileSync(join(place.home, 'logs', 'troupe.log'), 'utf8').slice(-LOG_CHARS)
  throw new Error(
    `${name}: ${error}\n${JSON.stringify({ open, timers, asks, waiting, record: record.slice(-RECORDED) }, null, 1)}\n${log}`,
    { cause: error },
  )
}

interface Phase {
  readonly fault: string
  readonly faults: number
  readonly seconds: number
  readonly acknowledged: Acknowledged
  readonly wrong: string[]
}

/** Load, and one kind of fault so many times; over when all of it has come to rest. */
async function phase(
  fault: Fault,
  about: Omit<Ring, 'heard' | 'wrong'>,
  plan: Campaign,
  heard: ReturnType<typeof counter>,
): Promise<Phase> {
  const { place, life, other } = about
  const began = performance.now()
  const acknowledged: Acknowledged = { sessions: [], mail: [], answers: [] }
  const clients = [life, ...(other ? [other] : [])].map((one) => createClient(one, acknowledged))
  const clientOf = (index: number) => clients[index % clients.length]!
  const names = Array.from({ length: plan.long ? (fault.sessions ?? plan.sessions) : plan.sessions }, (_, index) =>
    `${fault.name} s${index}`.replaceAll(' ', '-'),
  )
  const ids = await Promise.all(names.map((name, index) => clientOf(index).open(name, other && AGENT)))
  let over = false
  const pace = paced(plan.rate)
  const chats = Promise.all(
    names.map((name, index) => {
      const others = ids.filter((id) => id !== ids[index])
      const kinds = fault.kinds ?? most
      const one = { sessionId: ids[index]!, name, kinds, others, random: plan.random, over: () => over, pace }
      return chat(clientOf(index), one)
    }),
  )
  const or = <T>(work: Promise<T>) => Promise.race([work, chats, life.broken, ...(other ? [other.broken] : [])])
  const wrong: string[] = []
  const ring: Ring = { ...about, wrong, heard: (times) => or(heard.more(times)) }
  const times = plan.times(fault)
  for (let time = 0; time < times; time += 1) {
    // By requests and not by time alone: a life in which nothing happens shows nothing.
    await ring.heard(1 + Math.floor(plan.random() * LONGEST_LIFE_REQUESTS[plan.long ? 'long' : 'short']))
    await pause(plan.random() * LONGEST_PAUSE_MS)
    await life.server()
    await or(fault.strike(ring, time))
    await ring.heard(1)
  }
  over = true
  await or(chats)
  await rest(place, life, REST_SECONDS)
  return { fault: fault.name, faults: times, seconds: (performance.now() - began) / 1000, acknowledged, wrong }
}

function rowOf({ acknowledged, wrong, ...phase }: Phase, store: StoreKind, rows: Rows, lines: string[]): Row {
  const found = tally(acknowledged, rows, lines)
  return { ...phase, store, ...found, wrong: [...wrong, ...found.wrong] }
}

const nothing: Tally = { mails: 0, asks: 0, effects: 0, lost: [], twice: [], errors: [], wrong: [] }

/** Each event comes to each reader once, however often it was cut off. */
async function readTo(readers: readonly ReturnType<typeof startReader>[], events: number) {
  const began = performance.now()
  const end = began + READ_MS
  while (readers.some(({ seen }) => seen.size < events) && performance.now() < end) await pause(20)
  await Promise.all(readers.map((reader) => reader.stop()))
  return {
    faults: readers.reduce((sum, { connections }) => sum + connections, 0),
    seconds: (performance.now() - began) / 1000,
    lost: readers.flatMap(({ seen }, at) => (seen.size < events ? [`reader ${at}: ${seen.size} of ${events}`] : [])),
    twice: readers.flatMap(({ seen }, at) =>
      [...seen].flatMap(([seq, times]) => (times > 1 ? [`reader ${at}: ${seq} ${times} times`] : [])),
    ),
  }
}

const READ_MS = 600_000

/** The built-in coder under another name, whose sessions may go on at either server. */
function shareAgent(home: string): void {
  const folder = join(home, 'agents', AGENT)
  cpSync(new URL('../../../agents/coder', import.meta.url), folder, { recursive: true })
  const file = join(folder, 'agent.json')
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), workspace: { shared: true } }))
}

/** With a data folder of its own, on the same database, and straight to it. */
function startOther(place: FaultPlace, env: NonNullable<Fault['other']>): Life {
  const home = join(place.home, '..', 'other')
  mkdirSync(home, { recursive: true })
  cpSync(join(place.home, 'settings.json'), join(home, 'settings.json'))
  shareAgent(home)
  const own = { ...preload, TROUPE_HOME: home, TROUPE_DATABASE_URL: place.databaseUrl ?? '' }
  return startLife(place, { env: (times) => ({ ...own, ...env(times) }), limit: Number.POSITIVE_INFINITY })
}

/** Hands out moments that are so far apart; whoever is late has lost its moment and does not make up for it. */
function paced(perSecond: number): () => Promise<void> {
  let next = performance.now()
  return async () => {
    next = Math.max(next + 1000 / perSecond, performance.now())
    await pause(Math.max(1, next - performance.now()))
  }
}

/** Lets one wait until so many more have been added. */
function counter() {
  let count = 0
  let wanted = Number.POSITIVE_INFINITY
  let reached = Promise.withResolvers<void>()
  return {
    add() {
      count += 1
      if (count >= wanted) reached.resolve()
    },
    more(some: number): Promise<void> {
      wanted = count + some
      reached = Promise.withResolvers<void>()
      return reached.promise
    },
  }
}
