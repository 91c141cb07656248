import { InMemoryTransport } from '@modelcontextprotocol/client'
import { Server } from '@modelcontextprotocol/server'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createConnection, Unreachable } from './connection.ts'
import { createPool } from './pool.ts'

const never = new AbortController().signal
const refuses = () => Promise.reject(new Error('nobody is there'))

/** A connection whose clock stands still until it is moved, and what it did. */
function connectionWith({ open = refuses as () => Promise<InMemoryTransport>, idleMs = 60_000 } = {}) {
  const clock = { at: 1_000_000, now: (): number => clock.at }
  const seen = { opened: 0, down: [] as string[] }
  const connection = createConnection({
    clock,
    startMs: 1000,
    idleMs,
    open: () => {
      seen.opened += 1
      return open()
    },
    listed: async () => {},
    down: (why) => void seen.down.push(why),
  })
  return { connection, clock, seen }
}

/** A server in this process; each greeting gets one of its own. */
function localServer() {
  const ends: Promise<void>[] = []
  const open = async (): Promise<InMemoryTransport> => {
    const [ours, theirs] = InMemoryTransport.createLinkedPair()
    const server = new Server({ name: 'local', version: '1' }, { capabilities: {} })
    ends.push(
      new Promise((resolve) => {
        server.onclose = () => resolve()
      }),
    )
    await server.connect(theirs)
    return ours
  }
  return { open, ends }
}

test('a server that cannot be reached is tried again with pauses from 1 s up to 5 minutes, and a long pause is told at once', async () => {
  const { connection, clock, seen } = connectionWith()
  const pauses: number[] = []
  for (let round = 0; round < 11; round++) {
    await expect(connection.use(never, async () => {})).rejects.toThrow('nobody is there')
    pauses.push(connection.state().retryAt! - clock.at)
    clock.at = connection.state().retryAt!
  }
  expect(pauses.map((ms) => ms / 1000)).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300])
  expect(seen).toMatchObject({ opened: 11, down: Array.from({ length: 11 }, () => 'nobody is there') })

  clock.at -= 200_000
  await expect(connection.use(never, async () => {})).rejects.toThrow('it is tried again in 200 s')
  expect(seen.opened).toBe(11)
  // Whoever asks for it by hand waits for nothing.
  connection.forgive()
  await expect(connection.use(never, async () => {})).rejects.toThrow(/nobody is there$/)
  expect(seen.opened).toBe(12)
})

test('a server that answered begins again with the shortest pause', async () => {
  const { open } = localServer()
  let there = false
  const { connection, clock } = connectionWith({ open: () => (there ? open() : refuses()) })
  for (const _ of [1, 2, 3]) {
    await connection.use(never, async () => {}).catch(() => {})
    clock.at = connection.state().retryAt!
  }
  there = true
  const client = await connection.use(never, async (one) => one)
  there = false
  await client.close()
  expect(connection.state()).toMatchObject({ state: 'down', retryAt: clock.at + 1000 })
})

test('a server that nobody used for 5 minutes is ended, one at work is not, and the next use greets it anew', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const { open, ends } = localServer()
  const { connection, seen } = connectionWith({ open, idleMs: 300_000 })
  await connection.use(never, async (client) => {
    await connection.use(never, async () => {})
    await vi.advanceTimersByTimeAsync(400_000)
    await client.ping()
  })
  await vi.advanceTimersByTimeAsync(299_999)
  expect(connection.state()).toEqual({ state: 'running' })
  await vi.advanceTimersByTimeAsync(1)
  await ends[0]
  expect(connection.state()).toEqual({ state: 'idle' })
  expect(seen.opened).toBe(1)
  await connection.use(never, (client) => client.ping())
  expect(seen.opened).toBe(2)
  await connection.close()
})

test('there are 40 connections at most: the one that nobody used for longest goes, and none that is at work', async () => {
  const pool = createPool()
  const { open, ends } = localServer()
  const clock = { at: 0, now: (): number => clock.at++ }
  const work = Promise.withResolvers<void>()
  const parts = { clock, startMs: 1000, idleMs: 60_000, open, listed: async () => {}, down: () => {} }
  const get = (at: number) => pool.get(`key ${at}`, `digest ${at}`, () => createConnection(parts))
  const working = get(0).use(never, () => work.promise)
  for (let at = 1; at < 40; at++) await get(at).use(never, async () => {})
  await get(40).use(never, async () => {})
  await ends[1]
  expect(pool.of('digest 1')).toEqual([])
  expect([pool.of('digest 0'), pool.of('digest 2')].map((all) => all.length)).toEqual([1, 1])

  const all = Array.from({ length: 41 }, (_, at) => at).filter((at) => at > 1)
  const busy = all.map((at) => get(at).use(never, () => work.promise))
  expect(() => get(41)).toThrow(Unreachable)
  expect(() => get(41)).toThrow('40 servers are in use already; try again later')
  work.resolve()
  await Promise.all([working, ...busy])
  await pool.close()
})

test('whoever gives up while a server is still being started waits no longer, and others go on waiting', async () => {
  const { open } = localServer()
  const started = Promise.withResolvers<void>()
  const { connection } = connectionWith({ open: () => started.promise.then(open) })
  onTestFinished(() => connection.close())
  const stop = new AbortController()
  const given = connection.use(stop.signal, async () => 'in vain')
  const patient = connection.use(never, async () => 'served')
  stop.abort(new Error('canceled'))
  await expect(given).rejects.toThrow('canceled')
  started.resolve()
  expect(await patient).toBe('served')
})
