import type { RunId, SessionId } from '../../contract/ids.ts'
import type { Lineage } from '../../contract/inbox.ts'
import { shorten } from '../../lib/shorten.ts'
import { type LineageSession, sessionsAbove, titlesOfRuns, wordsOfTasks } from '../../store/lineages.ts'
import type { Db } from '../../store/tables.ts'
import { calledAs } from '../sessions/index.ts'

/** More than any spawn depth that makes sense. */
const DEEP = 32
const LABEL_CHARS = 80

/** On whose behalf a session asks: the run, the session at the top, those between, itself, and the task it works on. */
export const lineageOf = async (db: Db, id: SessionId): Promise<Lineage[]> => (await lineagesOf(db, [id])).get(id) ?? []

/** The same of many sessions, in as many reads as of one. */
export async function lineagesOf(db: Db, ids: readonly SessionId[]): Promise<Map<SessionId, Lineage[]>> {
  const known = await sessionsAbove(db, ids)
  const lines = new Map(ids.map((id) => [id, lineUp(known, id)]))
  const runs = await titlesOfRuns(db, distinct([...lines.values()].map(runOf)))
  const tasks = await wordsOfTasks(db, distinct(ids.map((id) => known.get(id)?.task_id)))
  return new Map(
    [...lines].map(([id, line]) => {
      const [run, task] = [runOf(line), known.get(id)?.task_id]
      // A run that is over is no cause of what its coordinator does now; nor is a task that has ended.
      const steps = [step('run', run, runs), ...line.flatMap(sessionSteps), step('task', task, tasks)]
      return [id, steps.filter((one) => one !== undefined)]
    }),
  )
}

/** From the session at the top down to this one. */
function lineUp(known: ReadonlyMap<SessionId, LineageSession>, id: SessionId): LineageSession[] {
  const line: LineageSession[] = []
  for (let at = known.get(id); at !== undefined && line.length < DEEP; at = known.get(at.parent_session_id ?? ''))
    line.unshift(at)
  return line
}

/** Of the nearest that is in one. */
const runOf = (line: readonly LineageSession[]): RunId | null =>
  line.findLast(({ run_id }) => run_id !== null)?.run_id ?? null

const sessionSteps = ({ id, agent, worker, handle }: LineageSession): Lineage[] => [
  ...(worker === null ? [] : [{ kind: 'worker' as const, id: worker, label: worker, agent }]),
  { kind: 'session', id, label: `${calledAs({ worker, agent })} ${handle}`, agent, handle },
]

function step(
  kind: 'run' | 'task',
  id: string | null | undefined,
  words: ReadonlyMap<string, string>,
): Lineage | undefined {
  const text = words.get(id ?? '')
  return text === undefined ? undefined : { kind, id: id!, label: firstLine(text) }
}

const distinct = (ids: readonly (string | null | undefined)[]): string[] => [...new Set(ids.filter((id) => id != null))]

const firstLine = (text: string): string => shorten(text.trim().split('\n', 1)[0]!, LABEL_CHARS)
