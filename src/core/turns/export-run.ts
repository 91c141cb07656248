import type { NodeId, RunId, SessionId } from '../../contract/ids.ts'
import type { Board, Node } from '../../contract/runs.ts'
import { clean, visibleJson } from '../../lib/hidden.ts'
import { findSession } from '../../store/sessions.ts'
import type { Core } from '../base/index.ts'
import { boardOf, getNode } from '../runs/index.ts'
import { exportSession } from './views.ts'

type Format = 'md' | 'jsonl'

/** A whole run as a document: what was wanted and what came of it, each node, then each conversation. */
export async function* exportRun(core: Core, id: RunId, format: Format): AsyncIterable<string> {
  const board = await boardOf(core.store.read, id)
  yield format === 'md'
    ? clean(headOf(board))
    : linesOf({ run: [board.run], stage: board.stages, worker: board.workers.map(shownWorker) })
  for (const { id: node } of board.nodes) {
    const whole = await nodeOf(core, id, node)
    yield format === 'md' ? clean(sectionOf(whole)) : linesOf({ node: [whole] })
  }
  yield* talk(core, { who: `Coordinator (${board.run.agent})`, id: board.run.sessionId }, format)
  for (const { name, agent, sessionId } of board.workers)
    if (sessionId !== undefined) yield* talk(core, { who: `${name} (${agent})`, id: sessionId }, format)
}

/** Each node is read when its turn comes, because specs may be long. */
const nodeOf = (core: Core, run: RunId, id: NodeId): Promise<Node> => getNode(core.store.read, run, id)

async function* talk(core: Core, { who, id }: { who: string; id: SessionId }, format: Format): AsyncIterable<string> {
  const session = await findSession(core.store.read, id)
  const gone = session === undefined || session.deleted_at !== null
  if (format === 'md') yield clean(`\n---\n\n# ${who}\n${gone ? '\nThis conversation is deleted or archived.\n' : ''}`)
  if (gone) return
  for await (const piece of exportSession(core, id, { format, forPeople: true }))
    yield format === 'md' ? piece : `{"kind":"message","sessionId":"${id}",${piece.slice(1)}`
}

const linesOf = (all: Record<string, readonly object[]>): string =>
  Object.entries(all)
    .flatMap(([kind, list]) => list.map((one) => `${visibleJson(JSON.stringify({ kind, ...one }))}\n`))
    .join('')

/** A line has its own kind. */
const shownWorker = ({ kind: workerKind, ...worker }: Board['workers'][number]) => ({ ...worker, workerKind })

function headOf({ run, stages, workers }: Board): string {
  return [
    `# ${run.title}`,
    `${run.id}, ${run.status}${run.reason ? `: ${run.reason}` : ''}`,
    `From ${run.createdAt}${run.endedAt ? ` to ${run.endedAt}` : ''}; $${run.costUsd.toFixed(4)}`,
    `## Goal\n\n${run.goal}`,
    ...(run.summary ? [`## Outcome\n\n${run.summary}`] : []),
    `## Workers\n\n${workers.map(({ name, agent, status }) => `- ${name}: ${agent}, ${status}`).join('\n') || 'None.'}`,
    ...stages.map(({ name, status, assessment }) => `## Stage "${name}" (${status})\n\n${assessment ?? ''}`),
    '## Nodes\n',
  ].join('\n\n')
}

function sectionOf({ id, title, status, worker, dependsOn, spec, summary, reason }: Node): string {
  const by = [
    id,
    status,
    ...(worker ? [`by ${worker}`] : []),
    ...(dependsOn.length > 0 ? [`after ${dependsOn.join(', ')}`] : []),
  ]
  const said = [...(reason ? [`Why: ${reason}`] : []), ...(summary ? [`Result: ${summary}`] : [])]
  return `\n${[`### ${title}`, by.join('; '), spec, ...said].join('\n\n')}\n`
}
