import { shorten } from '../../lib/shorten.ts'
import { findRun, isOpenRun, updateRun } from '../../store/runs.ts'
import type { RunRow, SessionRow } from '../../store/tables.ts'
import type { Tx } from '../base/index.ts'
import { aboutRun } from './state.ts'

const CHARS = 60
/** How often a model is asked at most, also where it is killed before its answer is written. */
const ASKS = 2

/** What a run is called until somebody has better words: the first ones of its goal. */
export const titleFor = (tx: Tx, goal: string): string => shorten(tx.mask(goal).split('\n', 1)[0]!, CHARS)

/** The run that this session leads, if its goal is too long to be its title and it was not over before this moment. */
export async function untitledRun(tx: Tx, { run_id, worker }: SessionRow, since: number): Promise<RunRow | undefined> {
  const run = run_id === null || worker !== null ? undefined : await findRun(tx.db, run_id)
  if (run === undefined || run.title_asks >= ASKS || run.title === run.goal.trim()) return undefined
  return isOpenRun(run) || run.ended_at! >= since ? run : undefined
}

/** Before a model is asked: whatever becomes of the answer, it counts. */
export const noteTitleAsk = (tx: Tx, { id, title_asks }: RunRow): Promise<void> =>
  updateRun(tx.db, id, { title_asks: title_asks + 1 })

/** The words of a model become the title; false where there are none. */
export async function titleRun(tx: Tx, run: RunRow, words: string): Promise<boolean> {
  const title = shorten(tx.mask(titleIn(words)), CHARS)
  if (title === '') return false
  await updateRun(tx.db, run.id, { title, title_asks: ASKS })
  tx.record('run.titled', aboutRun(run), { runId: run.id, title })
  return true
}

/** The first line that says something, without the marks that models put around a title. */
function titleIn(words: string): string {
  const lines = words.split('\n').map((line) =>
    line
      .replace(/\*\*|`|^title:/gi, '')
      .replace(/\s+/g, ' ')
      .replace(/^[ #>"'“”„«-]+/u, '')
      .replace(/[ "'“”».]+$/u, ''),
  )
  return lines.find((line) => line !== '') ?? ''
}
