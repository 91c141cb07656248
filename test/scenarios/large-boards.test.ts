import { isDeepStrictEqual } from 'node:util'
import { expect, test } from 'vitest'
import type { Board, Run } from '../../src/contract/runs.ts'
import { eventually } from '../kit/processes.ts'
import { notices } from '../kit/records.ts'
import { boardOf, nodesIn, stage, startRun, takeOn, workNode } from '../kit/runs.ts'
import { askPerson, parts } from '../kit/script.ts'
import { createWorld, type World } from '../kit/world.ts'

const MANY = 100
const each = <T>(make: (at: number) => T): T[] => Array.from({ length: MANY }, (_, at) => make(at))

test('a hundred nodes that end in the same moment wake the coordinator once, with a message of bounded size; a board of two hundred stays small', {
  timeout: 240_000,
}, async () => {
  const limits = { maxConcurrentWorkers: MANY, maxConcurrentTasks: MANY }
  const world = await createWorld({ store: 'sqlite', settings: { limits } })
  let seen = ''
  parts(world, {
    Goal: [
      { calls: each((at) => workNode(`Piece ${at}\n${'detail '.repeat(200)}`)) },
      (request) => ({ calls: [stage('All', nodesIn(request))] }),
      { text: 'I wait.' },
      { calls: [{ name: 'reconvene', input: { assessment: 'Good.' } }, takeOn('Guard')] },
      { calls: [workNode('Gate', { worker: 'Guard' })] },
      (request) => ({ calls: each((at) => workNode(`After ${at}`, { dependsOn: nodesIn(request).slice(-1) })) }),
      { calls: [{ name: 'check_board', input: {} }] },
      (request) => {
        seen = request.messages.at(-1)!.results[0]!.text
        return { text: 'Noted.' }
      },
    ],
    Gate: [{ calls: [askPerson] }],
    // Once everybody is answered, nobody needs the model any more.
    Piece: [{ calls: [askPerson, { name: 'publish', input: { summary: `Made. ${'word '.repeat(400)}` } }] }],
  })
  const run = await startRun(world, 'Goal', { limits: { maxNodes: 300 } })
  const becomes = (wanted: Run['nodes']) =>
    eventually(async () => {
      const { nodes } = await world.ok<Run>('GET', `/api/runs/${run.id}`)
      return isDeepStrictEqual(nodes, wanted)
    }, 100)
  await becomes({ waiting: MANY })
  await world.reaches(run.sessionId, 'idle')
  const answer = { answer: 'Yes' }
  await Promise.all((await asked(world)).map((id) => world.ok('POST', `/api/inbox/${id}/answer`, answer)))
  await becomes({ finished: MANY, waiting: 1, pending: MANY })
  await world.reaches(run.sessionId, 'idle')
  const told = await notices(world, run.sessionId)
  expect(told).toHaveLength(1)
  expect(told[0]).toContain(`${MANY} of ${MANY} nodes have ended`)
  expect(told[0]!.length).toBeLessThan(10_000)

  expect(JSON.parse(seen)).toMatchObject({ counts: { finished: 100, waiting: 1, pending: 100 }, notShown: 151 })
  expect(seen.length).toBeLessThan(12_000)
  const board = await boardOf(world, run)
  expect(board.nodes).toHaveLength(201)
  expect(JSON.stringify(board).length / board.nodes.length).toBeLessThan(1200)
  const then = await world.ok<Board>('GET', `/api/runs/${run.id}/graph`)
  expect(then.nodes).toEqual(board.nodes)
})

async function asked(world: World): Promise<string[]> {
  const rows = await world.server.core.store.read
    .selectFrom('inbox')
    .select('id')
    .where('status', '=', 'open')
    .execute()
  return rows.map(({ id }) => id)
}
