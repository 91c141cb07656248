import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createLimiter, type Entry, type Limiter, QUEUE } from './limiter.ts'
import { afterStep, notLetIn } from './told.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const clock = { now: () => Date.now() }
const never = new AbortController().signal
const reason = 'Too many.'

/** An account that takes so many requests in a window and tells the rest how long the window still lasts. */
function account(limit: number, windowMs: number, tells = true) {
  let began = Date.now()
  let taken = 0
  let wasted = 0
  return {
    ask() {
      if (Date.now() - began >= windowMs) {
        began = Date.now()
        taken = 0
      }
      if (taken < limit) {
        taken += 1
        return { kind: 'ok' as const }
      }
      wasted += 1
      return { kind: 'limited' as const, waitMs: tells ? began + windowMs - Date.now() : undefined, reason }
    },
    get wasted() {
      return wasted
    },
  }
}

/** One session: it asks until it is answered, as the loop does. */
async function session(limiter: Limiter, vendor: ReturnType<typeof account>): Promise<void> {
  for (;;) {
    const entry = await limiter.enter(never)
    if ('refused' in entry) throw new Error(entry.refused)
    await new Promise((resolve) => setTimeout(resolve, 50))
    const met = vendor.ask()
    entry.met(met)
    if (met.kind === 'ok') return
    await new Promise((resolve) => setTimeout(resolve, met.waitMs ?? 500))
  }
}

test.each([true, false])(
  '50 sessions on an account that takes 10 a minute all finish with few calls wasted (it says how long: %s)',
  async (tells) => {
    const vendor = account(10, 60_000, tells)
    const limiter = createLimiter(clock, () => 0.5)
    const all = Promise.all(Array.from({ length: 50 }, () => session(limiter, vendor)))
    await vi.advanceTimersByTimeAsync(30 * 60_000)
    await all
    expect(vendor.wasted).toBeLessThan(tells ? 20 : 60)
    expect(limiter.waiting).toBe(0)
  },
)

const passOf = async (limiter: Limiter): Promise<Extract<Entry, { met: unknown }>> => {
  const entry = await limiter.enter(never)
  if ('refused' in entry) throw new Error(entry.refused)
  return entry
}

test('after a refusal nobody is let in until the time is up, then one, then more with each success', async () => {
  const limiter = createLimiter(clock)
  ;(await passOf(limiter)).met({ kind: 'limited', waitMs: 1000, reason })
  const inside: Extract<Entry, { met: unknown }>[] = []
  for (let n = 0; n < 8; n++) void passOf(limiter).then((entry) => inside.push(entry))
  await vi.advanceTimersByTimeAsync(999)
  expect(inside).toHaveLength(0)
  await vi.advanceTimersByTimeAsync(1)
  expect(inside).toHaveLength(1)
  const met = (at: number) => inside[at]?.met({ kind: 'ok' })
  met(0)
  await vi.advanceTimersByTimeAsync(1000)
  expect(inside.length).toBeGreaterThan(1)
  for (let at = 1; at < 8; at++) {
    met(at)
    await vi.advanceTimersByTimeAsync(1000)
  }
  expect(inside).toHaveLength(8)
})

test('an overloaded vendor that names no time is left alone for longer and longer', async () => {
  const limiter = createLimiter(clock, () => 0.5)
  const waits: number[] = []
  for (let n = 0; n < 4; n++) {
    const entered = passOf(limiter)
    await vi.advanceTimersByTimeAsync(60_000)
    const entry = await entered
    const closed = Date.now()
    entry.met({ kind: 'limited', waitMs: undefined, reason })
    const next = passOf(limiter).then((pass) => {
      waits.push(Date.now() - closed)
      pass.met({ kind: 'other' })
    })
    await vi.advanceTimersByTimeAsync(60_000)
    await next
  }
  expect(waits).toEqual([1000, 2000, 4000, 8000])
})

test('whoever is cancelled leaves the queue at once, and the others keep their order', async () => {
  const limiter = createLimiter(clock)
  ;(await passOf(limiter)).met({ kind: 'limited', waitMs: 5000, reason })
  const stop = new AbortController()
  const order: string[] = []
  const first = limiter.enter(never).then(() => order.push('first'))
  const canceled = limiter.enter(stop.signal)
  void limiter.enter(never).then(() => order.push('third'))
  expect(limiter.waiting).toBe(3)
  stop.abort()
  expect(await canceled).toMatchObject({ refused: 'aborted' })
  expect(limiter.waiting).toBe(2)
  await vi.advanceTimersByTimeAsync(5000)
  await first
  expect(order[0]).toBe('first')
})

test('the queue is bounded, and a door that stays shut for long is not waited for', async () => {
  const limiter = createLimiter(clock)
  ;(await passOf(limiter)).met({ kind: 'limited', waitMs: 1000, reason })
  for (let n = 0; n < QUEUE; n++) void limiter.enter(never)
  expect(await limiter.enter(never)).toMatchObject({ refused: 'full' })
  const shut = createLimiter(clock)
  ;(await passOf(shut)).met({ kind: 'limited', waitMs: 9000, reason })
  const until = Date.now() + 9000
  expect(await shut.enter(never, 8000)).toMatchObject({ refused: 'closed', closure: { until, reason } })
  const patient = shut.enter(never, 10_000)
  const first = shut.enter(never, 10_000)
  await vi.advanceTimersByTimeAsync(9000)
  expect(await patient).toHaveProperty('met')
  // The one before it has no answer yet, and its own patience is over.
  await vi.advanceTimersByTimeAsync(1000)
  expect(await first).toMatchObject({ refused: 'closed' })
  expect(shut.waiting).toBe(0)
})

test('whoever comes canceled is not let in, and whoever tries after trouble shows that it goes on', async () => {
  const limiter = createLimiter(clock)
  expect(await limiter.enter(AbortSignal.abort())).toEqual({ refused: 'aborted' })
  const since = Date.now()
  ;(await passOf(limiter)).met({ kind: 'limited', waitMs: 1000, reason })
  await vi.advanceTimersByTimeAsync(1000)
  // Nobody waits, so nothing is closed; one that is under way does not know yet whether the trouble is over.
  expect(limiter.closure).toBeUndefined()
  const trying = await passOf(limiter)
  expect(limiter.closure).toEqual({ since, until: Date.now(), reason })
  trying.met({ kind: 'ok' })
  expect(limiter.closure).toBeUndefined()
})

test('the pause after trouble is half as long as usual at least and half as long again at most', async () => {
  for (const [luck, pause] of [
    [0, 500],
    [1, 1500],
  ] as const) {
    const limiter = createLimiter(clock, () => luck)
    ;(await passOf(limiter)).met({ kind: 'down', waitMs: undefined, reason })
    expect(limiter.closure?.until).toBe(Date.now() + pause)
  }
})

test.each([
  ['down', 30_000],
  ['limited', 60_000],
] as const)('the pauses of one that is %s grow to %i ms and no further', async (kind, longest) => {
  const limiter = createLimiter(clock, () => 0.5)
  const pauses: number[] = []
  for (let n = 0; n < 8; n++) {
    const next = passOf(limiter)
    await vi.advanceTimersByTimeAsync(longest)
    ;(await next).met({ kind, waitMs: undefined, reason })
    pauses.push((limiter.closure?.until ?? 0) - Date.now())
  }
  expect(pauses.slice(0, 2)).toEqual([1000, 2000])
  expect(pauses.slice(-2)).toEqual([longest, longest])
})

test('one whom a closed account does not let in is told when the next request is sent', () => {
  const closed = (until: number) => notLetIn({ refused: 'closed', closure: { since: 0, until, reason } }, 'lab', 5000)
  expect(closed(9500).error).toEqual({ kind: 'busy', message: 'Too many. The next request is sent in 5 s.' })
  expect(closed(5000).error).toEqual({ kind: 'busy', message: 'Too many.' })
})

test('a refused key is asked about again after five minutes, an empty purse after fifteen, or when the vendor says', () => {
  const told = { message: reason, limits: 'exhausted' } as const
  expect(afterStep({ ...told, kind: 'auth' })).toMatchObject({ kind: 'exhausted', waitMs: 5 * 60_000 })
  expect(afterStep({ ...told, kind: 'switch' })).toMatchObject({ kind: 'exhausted', waitMs: 15 * 60_000 })
  expect(afterStep({ ...told, kind: 'switch', retryAfterMs: 90 })).toMatchObject({ kind: 'exhausted', waitMs: 90 })
})

test('an account without credit is exhausted until a time, or until it answers again', async () => {
  const limiter = createLimiter(clock)
  ;(await passOf(limiter)).met({ kind: 'exhausted', waitMs: 1000, reason: 'no credit' })
  expect(limiter.exhausted).toEqual({ until: Date.now() + 1000, reason: 'no credit' })
  ;(await passOf(limiter)).met({ kind: 'ok' })
  expect(limiter.exhausted).toBeUndefined()
  ;(await passOf(limiter)).met({ kind: 'exhausted', waitMs: 1000, reason: 'no credit' })
  await vi.advanceTimersByTimeAsync(1000)
  expect(limiter.exhausted).toBeUndefined()
})

test('a vendor that says nothing is left is believed before it has to refuse', async () => {
  const limiter = createLimiter(clock)
  ;(await passOf(limiter)).met({ kind: 'ok', resetMs: 3000 })
  let inside = false
  void limiter.enter(never).then(() => {
    inside = true
  })
  await vi.advanceTimersByTimeAsync(2999)
  expect(inside).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  expect(inside).toBe(true)
})
