import { describe, expect, test } from 'vitest'
import { callsOf, type Message, type Part } from '../../../contract/messages.ts'
import { cutPoints } from './cut-points.ts'
import { makeShorter } from './keep.ts'

/** The same numbers for the same seed. */
function dice(seed: number): (sides: number) => number {
  let state = seed
  return (sides) => {
    state = (state * 1_664_525 + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * sides)
  }
}

/** A log as sessions have them: calls side by side, results in any order and late, mail between, answers that were cut. */
function someLog(seed: number): Message[] {
  const roll = dice(seed)
  const log: Message[] = []
  const add = (role: Message['role'], parts: Part[], more: Partial<Message> = {}): void => {
    const seq = log.length + 1
    log.push({ id: `m${seq}`, seq, role, parts, turnId: `turn${Math.floor(seq / 7)}`, createdAt: '', ...more })
  }
  const text = (): Part => ({ type: 'text', text: 'x'.repeat(roll(3000)) })
  let open: { callId: string; vendorCallId: string; name: string }[] = []
  for (let step = 0; step < 30; step++) {
    const kind = roll(6)
    if (kind === 0) add('user', [text()])
    else if (kind === 1) add('system', [text()])
    else if (kind === 2 && open.length === 0) add('assistant', [text()], roll(3) === 0 ? { cut: true } : {})
    else if (kind === 3 && open.length === 0) {
      open = Array.from({ length: 1 + roll(3) }, (_, at) => ({
        callId: `c${step}.${at}`,
        vendorCallId: 'v',
        name: 'read_file',
      }))
      add('assistant', [text(), ...open.map((call): Part => ({ type: 'tool-call', ...call, input: {} }))])
    } else if (open.length > 0) {
      const [call] = open.splice(roll(open.length), 1)
      add('tool', [{ type: 'tool-result', ...call!, output: 'y'.repeat(roll(9000)) }])
    }
  }
  return log
}

const calledIn = (messages: readonly Message[]): string[] =>
  messages.flatMap(({ parts }) => callsOf(parts).map(({ callId }) => callId))
const answeredIn = (messages: readonly Message[]): string[] =>
  messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'tool-result' ? [part.callId] : [])))

/** What a cut before this place tears apart. */
const torn = (log: readonly Message[], at: number): string[] => {
  const [before, after] = [log.slice(0, at), log.slice(at)]
  return answeredIn(after).filter((id) => calledIn(before).includes(id))
}

const seeds = Array.from({ length: 400 }, (_, at) => at + 1)

describe('where a history may be cut', () => {
  test('no cut separates a call from its result, and every place that separates nothing may be cut', () => {
    for (const seed of seeds) {
      const log = someLog(seed)
      const points = cutPoints(log)
      expect(points.filter((at) => torn(log, at).length > 0 || log[at]?.role === 'tool' || at === 0)).toEqual([])
      const goesOn = (at: number): boolean =>
        log.slice(0, at).findLast(({ role }) => role === 'assistant')?.cut === true &&
        log.slice(at).some(({ role }) => role === 'assistant')
      const free = [...log.keys()].filter(
        (at) => at > 0 && log[at]?.role !== 'tool' && torn(log, at).length === 0 && !goesOn(at),
      )
      expect(points).toEqual(free)
    }
  })

  test('what is kept after a compaction has every call of its results, the newest step, and fits', () => {
    let summed = 0
    for (const seed of seeds) {
      const messages = someLog(seed)
      for (const window of [4000, 12_000, 40_000]) {
        const room = { summary: 0, fixed: 500, window, limit: 0.8 * window, known: true }
        const shorter = makeShorter({ messages, ...room, keepTurns: 6, asked: seed % 3 === 0 })
        if (shorter === undefined) continue
        summed += shorter.from > 0 ? 1 : 0
        expect(torn(messages, shorter.from)).toEqual([])
        expect(shorter.from).toBeLessThan(messages.length)
        expect(shorter.tokens).toBeLessThanOrEqual(window)
        const lastAnswer = messages.findLastIndex(({ role }) => role === 'assistant')
        const mail = messages.findIndex(({ role }, at) => at > lastAnswer && role === 'user')
        expect(shorter.from).toBeLessThanOrEqual(mail === -1 ? Math.max(0, lastAnswer) : mail)
      }
    }
    expect(summed).toBeGreaterThan(200)
  })

  test('a single message is summed up like many, and what is kept stays whole where it fits', () => {
    const messages = [said(1, 'assistant', 'x'.repeat(20_000)), said(2, 'user', 'And now?')]
    const room = { summary: 0, fixed: 500, window: 12_000, limit: 9600, known: true, keepTurns: 6, asked: true }
    expect(makeShorter({ messages, ...room })).toMatchObject({ from: 1, cutBefore: 1 })
  })

  test('before a message that is larger than a window that is only a guess, all others are summed up; of one that is known, nothing', () => {
    const messages = [said(1, 'assistant', 'x'.repeat(20_000)), said(2, 'user', 'y'.repeat(60_000))]
    const room = { summary: 0, fixed: 500, window: 12_000, limit: 9600, keepTurns: 6, asked: false }
    expect(makeShorter({ messages, ...room, known: false })).toMatchObject({ from: 1 })
    expect(makeShorter({ messages, ...room, known: true })).toBeUndefined()
  })
})

const said = (seq: number, role: 'assistant' | 'user', text: string): Message => ({
  id: `m${seq}`,
  seq,
  role,
  parts: [{ type: 'text', text }],
  turnId: `turn${seq}`,
  createdAt: '',
})

test('where there is room, the turns that stay whole are so many, from their beginning on', () => {
  const messages = Array.from({ length: 20 }, (_, at): Message => {
    const role = at % 2 === 0 ? ('user' as const) : ('assistant' as const)
    const parts: Part[] = [{ type: 'text', text: 'x'.repeat(900) }]
    return { id: `m${at}`, seq: at + 1, role, parts, turnId: `turn${Math.floor(at / 4)}`, createdAt: '' }
  })
  const reading = { messages, summary: 0, fixed: 0, window: 100_000, limit: 80_000, known: true, asked: true }
  const kept = (keepTurns: number) => makeShorter({ ...reading, keepTurns })?.from
  expect([1, 2].map(kept)).toEqual([16, 12])
  // Three would be more than half of what there is.
  expect(kept(3)).toBe(12)
})
