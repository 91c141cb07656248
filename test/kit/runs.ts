import type { Board, Run, RunStatus } from '../../src/contract/runs.ts'
import { hasMail } from './script.ts'
import type { Reply, SeenRequest } from './vendor/reply.ts'
import type { World } from './world.ts'

/** What members of a run call. */
export const workNode = (task: string, more: Record<string, unknown> = {}) => ({
  name: 'create_work_node',
  input: { task, ...more },
})
export const takeOn = (name: string, more: Record<string, unknown> = {}) => ({
  name: 'spawn_worker',
  input: { name, ...more },
})
export const stage = (name: string, nodes: readonly string[], contract: Record<string, unknown> = {}) => ({
  name: 'start_stage',
  input: { name, nodes, contract },
})
export const finishRun = (summary: string) => ({ name: 'finish', input: { summary } })

/** The nodes that the results in a request name, in the order they were made. */
export const nodesIn = ({ messages }: Pick<SeenRequest, 'messages'>): string[] => [
  ...new Set(messages.flatMap(({ results }) => results.flatMap(({ text }) => text.match(/node_[0-9a-f]+/g) ?? []))),
]

export const startRun = (world: World, goal: string, more: Record<string, unknown> = {}): Promise<Run> =>
  world.ok<Run>('POST', '/api/runs', { goal, ...more })

export const boardOf = (world: World, { id }: Pick<Run, 'id'>): Promise<Board> =>
  world.ok<Board>('GET', `/api/runs/${id}/board`)

/** The status of each node, by its title. */
export const statuses = async (world: World, run: Pick<Run, 'id'>): Promise<Record<string, string>> =>
  Object.fromEntries((await boardOf(world, run)).nodes.map(({ title, status }) => [title, status]))

/** Resolves once the board looks like this. */
export const boardBecomes = (world: World, run: Pick<Run, 'id'>, wanted: Record<string, string>): Promise<Board> =>
  world.eventually(async () => {
    const board = await boardOf(world, run)
    const fits = Object.entries(wanted).every(([title, status]) =>
      board.nodes.some((node) => node.title === title && node.status === status),
    )
    return fits && board
  })

/** Resolves once the run has this status. */
export const runBecomes = (world: World, { id }: Pick<Run, 'id'>, status: RunStatus): Promise<Run> =>
  world.eventually(async () => {
    const run = await world.ok<Run>('GET', `/api/runs/${id}`)
    return run.status === status && run
  })

/** A coordinator that says "Noted." to news and ends the run once they speak of this. */
export const untilTold =
  (word: string, summary: string) =>
  (request: SeenRequest): Reply =>
    hasMail(request) && request.lastUserText.includes(word)
      ? { calls: [finishRun(summary)] }
      : { text: hasMail(request) ? 'Noted.' : 'Going on.' }

export const resultsIn = ({ messages }: SeenRequest): string[] =>
  messages.flatMap(({ results }) => results.map(({ text }) => text))

/** The node on which the worker works that made a request. */
export const ownNode = ({ messages }: SeenRequest): string =>
  messages.flatMap(({ role, text }) => (role === 'user' && /^node_[0-9a-f]+$/m.exec(text)) || []).at(-1)!
