import { findSession } from '../../store/sessions.ts'
import type { SessionRow } from '../../store/tables.ts'
import type { Tx } from '../base/index.ts'
import { addInbox } from '../inbox/index.ts'
import type { Verdict } from '../permissions/index.ts'
import type { Turn } from './turn.ts'

/** Why the commands among these calls would run without a sandbox that nobody switched off. */
export function unshutBy({ setup }: Turn, names: readonly string[], verdicts: readonly Verdict[]): string | undefined {
  const starts = names.some((name, at) => {
    const tool = setup.judge.tools.get(name)
    return (tool?.commandLine !== undefined || tool?.startsProgram) && verdicts[at]?.verdict !== 'refuse'
  })
  return starts ? setup.unshut() : undefined
}

/** The person is told at the first command of a session, once for all that it hands on to others. */
export async function tellUnshut(tx: Tx, session: SessionRow, why: string): Promise<void> {
  if (session.run_id !== null) return tellUnheld(tx, session, session.run_id, why)
  await addInbox(tx, session, {
    id: `inbox_unshut_${await topOf(tx, session)}`,
    kind: 'notice',
    title: 'There is no sandbox here: commands can read and change whatever you can',
    body: `${why} Until then commands run as you would run them, within the rules. To keep it so without this notice, set "sandbox" to "off".`,
  })
}

/** Once for each run, also where the person wanted no sandbox: here it would keep workers from each other's files. */
const tellUnheld = (tx: Tx, session: SessionRow, runId: string, why: string): Promise<void> =>
  addInbox(tx, session, {
    id: `inbox_unshut_${runId}`,
    kind: 'notice',
    title: 'There is no sandbox here: commands in this run are not held to the files of their worker',
    body: `${why} Commands can read and change whatever you can, also what other workers have in the run's folder. File tools keep to their own.`,
  })

async function topOf(tx: Tx, { id, parent_session_id }: SessionRow): Promise<string> {
  const parent = parent_session_id === null ? undefined : await findSession(tx.db, parent_session_id)
  return parent === undefined ? id : topOf(tx, parent)
}
