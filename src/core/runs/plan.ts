import { AppError } from '../../contract/errors.ts'
import type { SessionId } from '../../contract/ids.ts'
import { writeInside } from '../../lib/files/workspace-files.ts'
import { openRunOf } from '../../store/runs.ts'
import { findSession } from '../../store/sessions.ts'
import type { Core } from '../base/index.ts'
import { projectOfSession } from '../sessions/index.ts'
import { openRunFolder } from './folder.ts'
import { noRun } from './state.ts'

const GOAL = '_goal.md'

/** The coordinator writes a page that all members of its run can read. The whole file or nothing; the same again is the same. */
export async function writePage(core: Core, sessionId: SessionId, file: string, text: string): Promise<void> {
  const session = (await findSession(core.store.read, sessionId))!
  const run = await openRunOf(core.store.read, session)
  if (run === undefined) throw noRun(session.run_id ?? 'none')
  if (file === GOAL)
    throw new AppError('run.state', 'file: _goal.md has the words of the human, and stays as it is.', {
      hint: 'Write to _plan.md how you understand them.',
    })
  await writeInside(await openRunFolder(await projectOfSession(core, session), run), file, core.mask(`${text}\n`))
}
