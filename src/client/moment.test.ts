import { describe, expect, test } from 'vitest'
import type { Event, EventType } from '../contract/events.ts'
import type { Run } from '../contract/runs.ts'
import { momentsOf } from './moment.ts'

const run = {
  id: 'run_1',
  project: 'p',
  goal: 'Dig',
  title: 'Dig',
  agent: 'coordinator',
  sessionId: 'lead',
  session: 'lead',
  status: 'finished',
  mode: 'finite',
  limits: {},
  nodes: { finished: 1 },
  workers: { idle: 1 },
  costUsd: 3,
  coordinatorCostUsd: 1,
  unpricedTokens: 0,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:01:00.000Z',
} as unknown as Run

const tokens = { input: 10, output: 5, cached: 0, reasoning: 0 }

function events(...all: readonly (readonly [EventType, Record<string, unknown>, Partial<Event>?])[]): Event[] {
  return all.map(([type, data, about], n) => {
    const at = new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString()
    return { seq: String(n + 1), at, type, project: 'p', runId: 'run_1', data, ...about }
  })
}

const ofBen = { sessionId: 'ben', nodeId: 'node_1', taskId: 'task_1' }

const happened = events(
  ['worker.spawned', { name: 'Ben', agent: 'coder' }],
  ['node.created', { nodeId: 'node_1', title: 'Hole', spec: 'Hole', dependsOn: [], worker: 'Ben' }],
  ['task.created', { taskId: 'task_1', agent: 'coder' }, ofBen],
  ['node.started', { nodeId: 'node_1' }],
  ['tool.started', { callId: 'call_1', name: 'bash', preview: '{"command":"dig"}' }, ofBen],
  ['message.appended', { messageId: 'm', seq: 1, role: 'assistant', snippet: '', tokens, costUsd: 0.25 }, ofBen],
  ['message.appended', { messageId: 'm', seq: 2, role: 'assistant', snippet: '', tokens }, ofBen],
  ['call.parked', { callId: 'call_2', name: 'ask_human', kind: 'question', inboxId: 'inbox_1' }, ofBen],
  ['call.resumed', { callId: 'call_2', name: 'ask_human', how: 'answered' }, ofBen],
  ['turn.ended', { turnId: 't', end: 'done' }, ofBen],
  ['node.finished', { nodeId: 'node_1', summary: 'Dug' }],
)

const inWords = (name: string, preview: string) => `${name} ${preview}`

describe('every moment of a run can be looked at', () => {
  const at = momentsOf(run, inWords)

  test('before the first event the board is empty and nothing is spent, although the run is over by now', () => {
    const { board, spent } = at(happened, 0)
    expect(board.nodes).toEqual([])
    expect(board.run).toMatchObject({ status: 'working', costUsd: 0, nodes: {} })
    expect(spent.size).toBe(0)
  })

  test('a member does what it last began, until its turn ends', () => {
    expect(at(happened, 5).doing.get('ben')).toBe('bash {"command":"dig"}')
    expect(at(happened, 8).doing.get('ben')).toBe('waits for you')
    expect(at(happened, 10).doing.has('ben')).toBe(false)
  })

  test('a member asks the person from its question to the answer', () => {
    expect([7, 8, 9].map((count) => at(happened, count).asking.has('ben'))).toEqual([false, true, false])
  })

  test('what a worker spends is spent on its node; tokens without a price are counted apart', () => {
    expect(at(happened, 6).spent.get('node_1')).toEqual({ usd: 0.25, unpriced: 0 })
    expect(at(happened, 11).spent.get('node_1')).toEqual({ usd: 0.25, unpriced: 15 })
  })

  test('going back and forth gives the same moments as going there at once, also over thousands of events', () => {
    const long = [...happened.slice(0, 5), ...Array.from({ length: 1200 }, () => happened[5]!), ...happened.slice(7)]
    const walked = momentsOf(run, inWords)
    const counts = [long.length, 3, 700, 250, 251, 1000, 0, 499]
    for (const count of counts) {
      const fresh = momentsOf(run, inWords)(long, count)
      expect(walked(long, count)).toEqual(fresh)
      expect(fresh.spent.get('node_1')?.usd ?? 0).toBeCloseTo(0.25 * Math.max(0, Math.min(1200, count - 5)))
    }
  })
})
