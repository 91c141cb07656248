import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createLimiter, type Entry, type Limiter } from './limiter.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

type Pass = Extract<Entry, { met: unknown }>
const clock = { now: () => Date.now() }
const never = new AbortController().signal

/** Lets so many queue up; the list grows as they are let in. */
function queueUp(limiter: Limiter, count: number): Pass[] {
  const inside: Pass[] = []
  for (let n = 0; n < count; n++) void limiter.enter(never).then((entry) => 'met' in entry && inside.push(entry))
  return inside
}
const soon = () => vi.advanceTimersByTimeAsync(0)
const ok = { kind: 'ok' } as const
const reason = 'Too many.'
const refused = { kind: 'limited', waitMs: 60_000, reason } as const

/** Answers everyone inside, and those whom the answers let in, until nobody is left. */
async function answerAll(inside: Pass[], from: number): Promise<void> {
  for (let at = from; at < inside.length; at++) {
    inside[at]!.met(ok)
    await soon()
  }
}

test('an account nobody knows is asked by eight at once, by sixteen after as many answers, and after 24 by all', async () => {
  const limiter = createLimiter(clock)
  const inside = queueUp(limiter, 100)
  await soon()
  expect(inside).toHaveLength(8)
  for (const pass of inside.slice(0, 7)) pass.met(ok)
  await soon()
  expect(inside).toHaveLength(15)
  inside[7]!.met(ok)
  await soon()
  expect(inside).toHaveLength(8 + 16)
  for (const pass of inside.slice(8, 23)) pass.met(ok)
  await soon()
  expect(inside.length).toBeLessThan(100)
  inside[23]!.met(ok)
  await soon()
  expect(inside).toHaveLength(100)
})

/** An account that took three in its window and refused the fourth for a minute. */
async function takesThree(): Promise<Limiter> {
  const limiter = createLimiter(clock)
  const inside = queueUp(limiter, 4)
  await soon()
  for (const [at, pass] of inside.entries()) pass.met(at < 3 ? ok : refused)
  return limiter
}

test('a window that took all it was allowed is allowed one more, then two, then four', async () => {
  const inside = queueUp(await takesThree(), 60)
  const taken: number[] = []
  for (let window = 0; window < 4; window++) {
    const before = inside.length
    await vi.advanceTimersByTimeAsync(60_000)
    await answerAll(inside, before)
    taken.push(inside.length - before)
  }
  expect(taken).toEqual([3, 4, 6, 10])
})

test('a window that was not used up proves nothing about the next', async () => {
  const limiter = await takesThree()
  await vi.advanceTimersByTimeAsync(60_000)
  const alone = queueUp(limiter, 1)
  await soon()
  await answerAll(alone, 0)
  await vi.advanceTimersByTimeAsync(60_000)
  const many = queueUp(limiter, 10)
  await soon()
  await answerAll(many, 0)
  // Two were left in that window, and the next takes three.
  expect(many).toHaveLength(2 + 3)
})

test('trouble that passed soon the last time is waited for no longer the next', async () => {
  const limiter = createLimiter(clock, () => 0.5)
  for (let trouble = 0; trouble < 2; trouble++) {
    const pass = (await limiter.enter(never)) as Pass
    pass.met({ kind: 'limited', waitMs: undefined, reason })
    const next = queueUp(limiter, 1)
    await vi.advanceTimersByTimeAsync(999)
    expect(next).toHaveLength(0)
    await vi.advanceTimersByTimeAsync(1)
    expect(next).toHaveLength(1)
    next[0]!.met(ok)
  }
})

test('trouble that took long the last time is waited for about half as long at once', async () => {
  const limiter = createLimiter(clock, () => 0.5)
  const refuse = async () => ((await limiter.enter(never)) as Pass).met({ kind: 'limited', waitMs: undefined, reason })
  await refuse()
  await vi.advanceTimersByTimeAsync(40_000)
  ;((await limiter.enter(never)) as Pass).met(ok)
  await refuse()
  const next = queueUp(limiter, 1)
  await vi.advanceTimersByTimeAsync(19_999)
  expect(next).toHaveLength(0)
  await vi.advanceTimersByTimeAsync(1)
  expect(next).toHaveLength(1)
})

test('one who is refused later and told to wait longer keeps the door shut for longer', async () => {
  const limiter = createLimiter(clock)
  const inside = queueUp(limiter, 2)
  await soon()
  inside[0]!.met({ kind: 'limited', waitMs: 1000, reason })
  inside[1]!.met({ kind: 'limited', waitMs: 3000, reason })
  const next = queueUp(limiter, 1)
  await vi.advanceTimersByTimeAsync(2999)
  expect(next).toHaveLength(0)
  await vi.advanceTimersByTimeAsync(1)
  expect(next).toHaveLength(1)
})

test('one who failed after it was accepted has left already and makes no second place', async () => {
  const limiter = createLimiter(clock)
  const inside = queueUp(limiter, 30)
  await soon()
  inside[0]!.met(ok)
  inside[0]!.met({ kind: 'other' })
  await soon()
  expect(inside).toHaveLength(9)
})

/** What the account allows in the minute after it refused one for a minute. */
async function allowedAfter(limiter: Limiter): Promise<number> {
  await vi.advanceTimersByTimeAsync(60_000)
  const many = queueUp(limiter, 50)
  await soon()
  await answerAll(many, 0)
  return many.length
}

test('one refusal after a quiet time teaches no limit: when its time is up, the account is as open as before', async () => {
  const limiter = createLimiter(clock)
  const first = queueUp(limiter, 5)
  await soon()
  await answerAll(first, 0)
  await vi.advanceTimersByTimeAsync(3_600_000)
  ;((await limiter.enter(never)) as Pass).met(refused)
  expect(limiter.closure).toEqual({ since: Date.now(), until: Date.now() + 60_000, reason })
  expect(await allowedAfter(limiter)).toBe(50)
  expect(limiter.closure).toBeUndefined()
})

test('a refusal among a few requests, or among many that were no burst, teaches no limit', async () => {
  const few = createLimiter(clock)
  for (let n = 0; n < 2; n++) ((await few.enter(never)) as Pass).met(ok)
  ;((await few.enter(never)) as Pass).met(refused)
  expect(await allowedAfter(few)).toBe(50)
  const slow = createLimiter(clock)
  for (let n = 0; n < 10; n++) {
    ;((await slow.enter(never)) as Pass).met(ok)
    await vi.advanceTimersByTimeAsync(10_000)
  }
  ;((await slow.enter(never)) as Pass).met(refused)
  expect(await allowedAfter(slow)).toBe(50)
})

test('a vendor that is down is tried by one at a time, and by all when it is well again', async () => {
  const limiter = createLimiter(clock, () => 0.5)
  const inside = queueUp(limiter, 60)
  await soon()
  const wellAt = Date.now() + 30_000
  const since = Date.now()
  let failed = 0
  for (let at = 0; at < 60 + failed; at++) {
    for (let waits = 0; inside.length <= at; waits++) {
      expect(waits).toBeLessThan(120)
      await vi.advanceTimersByTimeAsync(1000)
    }
    if (Date.now() >= wellAt) inside[at]!.met(ok)
    else {
      inside[at]!.met({ kind: 'down', waitMs: undefined, reason: 'Gone.' })
      failed += 1
      expect(limiter.closure).toMatchObject({ since, reason: 'Gone.' })
      void limiter.enter(never).then((entry) => 'met' in entry && inside.push(entry))
    }
    await soon()
  }
  // The eight of the first wave, and then one after 1, 2, 4, 8 and 16 seconds.
  expect(failed).toBe(8 + 4)
  expect(limiter.closure).toBeUndefined()
})

test('one request that fails while others are answered closes nothing', async () => {
  const limiter = createLimiter(clock)
  const poison = (await limiter.enter(never)) as Pass
  await vi.advanceTimersByTimeAsync(10)
  ;((await limiter.enter(never)) as Pass).met(ok)
  poison.met({ kind: 'down', waitMs: undefined, reason: 'Oops.' })
  expect(limiter.closure).toBeUndefined()
})

test('a vendor that asks for no pause and refuses again and again is left alone for longer and longer', async () => {
  const limiter = createLimiter(clock, () => 0.5)
  const pauses: number[] = []
  for (let n = 0; n < 5; n++) {
    const inside = queueUp(limiter, 1)
    while (inside.length === 0) await vi.advanceTimersByTimeAsync(100)
    inside[0]!.met({ kind: 'down', waitMs: 0, reason })
    pauses.push((limiter.closure?.until ?? Date.now()) - Date.now())
  }
  expect(pauses).toEqual([0, 2000, 4000, 8000, 16_000])
})
