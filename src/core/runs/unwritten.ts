import { isProblem } from '../../contract/errors.ts'
import { PathError } from '../../lib/files/paths.ts'
import { findSession } from '../../store/sessions.ts'
import type { RunRow, TimerRow } from '../../store/tables.ts'
import { payloadOf, postponeTimer, takeTimer } from '../../store/timers.ts'
import { type Core, runFolder, transact } from '../base/index.ts'
import { addInbox } from '../inbox/index.ts'

const ofFiles: ReadonlySet<unknown> = new Set([
  ...['open', 'mkdir', 'read', 'write', 'rename', 'unlink', 'rmdir', 'scandir', 'chmod'],
  ...['stat', 'lstat', 'fstat', 'fsync', 'truncate', 'ftruncate', 'realpath', 'copyfile'],
])

/** Why a file could not be written, in words; undefined for what is no matter of files. */
export function problemOf(error: unknown): string | undefined {
  const isKnown = error instanceof PathError || isProblem(error)
  return isKnown || ofFiles.has((error as NodeJS.ErrnoException).syscall) ? (error as Error).message : undefined
}

const AGAIN_MS = 30_000
const TRIES = 20

/** The run goes on without its files, which are written from where they end once that is possible. The person is told once. */
export async function tellUnwritten(core: Core, timer: TimerRow, run: RunRow, problem: string): Promise<void> {
  core.log('warn', 'files of a run could not be written', { run: run.id, error: problem })
  const tries = (payloadOf<{ tries: number }>(timer).tries ?? 0) + 1
  await transact(core, 'run.unwritten', async (tx) => {
    const coordinator = await findSession(tx.db, run.session_id)
    if (coordinator) await addInbox(tx, coordinator, unwritten(run, problem))
    if (tries >= TRIES) return void (await takeTimer(tx.db, timer))
    await postponeTimer(tx.db, timer, tx.now + AGAIN_MS, { tries })
    tx.alarm(tx.now + AGAIN_MS)
  })
}

const unwritten = ({ id, title }: RunRow, problem: string) => ({
  id: `inbox_files_${id}`,
  kind: 'notice' as const,
  title: `The files of the run "${title}" cannot be written`,
  body: `${problem}\nThe run goes on. Make ${runFolder(id)} a folder that can be written to, with ordinary files in it: what is missing is written then.`,
})
