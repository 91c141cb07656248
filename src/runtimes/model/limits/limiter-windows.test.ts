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
const refused = { kind: 'limited', waitMs: 60_000 } as const

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

/** An account that took two in its window and refused the third for a minute. */
async function takesTwo(): Promise<Limiter> {
  const limiter = createLimiter(clock)
  const inside = queueUp(limiter, 3)
  await soon()
  for (const [at, pass] of inside.entries()) pass.met(at < 2 ? ok : refused)
  return limiter
}

test('a window that took all it was allowed is allowed one more, then two, then four', async () => {
  const inside = queueUp(await takesTwo(), 60)
  const taken: number[] = []
  for (let window = 0; window < 4; window++) {
    const before = inside.length
    await vi.advanceTimersByTimeAsync(60_000)
    await answerAll(inside, before)
    taken.push(inside.length - before)
  }
  expect(taken).toEqual([2, 3, 5, 9])
})

test('a window that was not used up proves nothing about the next', async () => {
  const limiter = await takesTwo()
  await vi.advanceTimersByTimeAsync(60_000)
  const alone = queueUp(limiter, 1)
  await soon()
  await answerAll(alone, 0)
  await vi.advanceTimersByTimeAsync(60_000)
  const many = queueUp(limiter, 10)
  await soon()
  await answerAll(many, 0)
  // One was left in that window, and the next takes two.
  expect(many).toHaveLength(1 + 2)
})

test('trouble that passed soon the last time is waited for no longer the next', async () => {
  const limiter = createLimiter(clock, () => 0.5)
  for (let trouble = 0; trouble < 2; trouble++) {
    const pass = (await limiter.enter(never)) as Pass
    pass.met({ kind: 'limited', waitMs: undefined })
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
  const refuse = async () => ((await limiter.enter(never)) as Pass).met({ kind: 'limited', waitMs: undefined })
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
  inside[0]!.met({ kind: 'limited', waitMs: 1000 })
  inside[1]!.met({ kind: 'limited', waitMs: 3000 })
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
