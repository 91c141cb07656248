import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import type { Board, Node } from '../../contract/runs.ts'
import { cells } from '../chat/cells.ts'
import { style } from '../chat/style.ts'
import { type TreeView, treeLines } from './tree.ts'

const at = '2030-01-01T00:00:00.000Z'
const node = (name: string, more: Partial<Node> = {}): Node => ({
  id: `node_${name}`,
  title: name,
  spec: name,
  status: 'pending',
  dependsOn: [],
  costUsd: 0,
  createdAt: at,
  updatedAt: at,
  ...more,
})

const board = (nodes: Node[], workers: Board['workers'] = []): Board => ({
  run: {
    id: 'run_1',
    project: 'p',
    goal: 'G',
    title: 'G',
    agent: 'coordinator',
    sessionId: 'c',
    session: 'cccc',
    status: 'working',
    limits: {},
    nodes: {},
    workers: { idle: workers.length },
    costUsd: 0,
    createdAt: at,
    updatedAt: at,
  } as Board['run'],
  stages: [{ id: 'stage_1', name: 'First', status: 'running', checkpointPolicy: 'all', startedAt: at }],
  nodes,
  workers,
  edges: [],
})

const drawn = (shown: Board, more: Partial<TreeView> = {}, width = 80, height = 40): string[] =>
  treeLines(
    {
      board: shown,
      doing: () => undefined,
      asking: new Set(),
      now: Date.parse(at) + 5000,
      spinner: '*',
      paint: style,
      ...more,
    },
    width,
    height,
  ).map(stripVTControlCharacters)

const worker = (name: string, nodeId: string, sessionId: string) =>
  ({ name, kind: 'harnessed', costUsd: 0, agent: 'writer', status: 'busy', sessionId, nodeId, createdAt: at }) as const

test('each node says who does it, for how long, and what goes on; what is below a node is set in', () => {
  const nodes = [
    node('Dig', { status: 'processing', worker: 'Ada', startedAt: at, stageId: 'stage_1' }),
    node('Deeper', {
      status: 'processing',
      worker: 'Ben',
      startedAt: at,
      parentNodeId: 'node_Dig',
      stageId: 'stage_1',
    }),
    node('Done', { status: 'finished', worker: 'Cleo', startedAt: at, finishedAt: at, summary: 'It is\nthere.' }),
    node('Later', { dependsOn: ['node_Dig', 'node_Done'] }),
    node('Broken', { status: 'failed', reason: 'No wood.' }),
  ]
  const shown = board(nodes, [worker('Ada', 'node_Dig', 'a'), worker('Ben', 'node_Deeper', 'b')])
  const lines = drawn(shown, { doing: (id) => (id === 'a' ? 'bash ls' : undefined), asking: new Set(['b']) })
  expect(lines.map((line) => line.replace(/ +/g, ' ').trim())).toEqual([
    'coordinator cccc waits for news',
    '── First · running',
    '* Dig Ada 5.0 s bash ls',
    '? Deeper Ben 5.0 s waits for you',
    '✓ Done Cleo 0 ms It is there.',
    '○ Later after Dig',
    '✗ Broken failed: No wood.',
  ])
  expect(lines[3]!.indexOf('?')).toBe(lines[2]!.indexOf('*') + 2)
})

test('what a node cost stands beside its time where somebody knows it and the screen is wide enough', () => {
  const paid = {
    ...node('Paid', { status: 'finished', startedAt: at, finishedAt: at, summary: 'Bought.' }),
    costUsd: 0.0123,
  }
  const shown = board([paid, node('Free', { status: 'finished', startedAt: at, finishedAt: at, summary: 'Found.' })])
  expect(drawn(shown).map((line) => line.replace(/ +/g, ' ').trim())).toEqual([
    'coordinator cccc waits for news',
    '✓ Paid 0 ms $0.0123 Bought.',
    '✓ Free 0 ms Found.',
  ])
  expect(drawn(shown, {}, 60).join()).not.toContain('$')
})

test('where the screen is small, what has ended makes room for what goes on, and no line is too wide', () => {
  const wide = '字'.repeat(80)
  const ended = Array.from({ length: 30 }, (_, number) => node(`Old ${number}`, { status: 'finished', summary: wide }))
  const lines = drawn(board([...ended, node(`Now ${wide}`, { status: 'processing', startedAt: at })]), {}, 60, 12)
  expect(lines.length).toBeLessThanOrEqual(12)
  expect(lines.join('\n')).toMatch(/22 more\n/)
  expect(lines.at(-1)).toContain('* Now')
  expect(lines.every((line) => cells(line) <= 60)).toBe(true)
})

test('codes in what agents say do not reach the terminal', () => {
  const evil = '\u001b[2Jgone\u001b]0;title\u0007'
  const [, line] = treeLines(
    {
      board: board([node(evil, { status: 'finished', worker: evil, summary: evil })]),
      doing: () => evil,
      asking: new Set(),
      now: 0,
      spinner: '*',
      paint: style,
    },
    80,
    10,
  )
  expect(line).not.toContain('\u001b[2J')
  expect(line).not.toContain('\u0007')
})
