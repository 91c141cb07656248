import { sha256 } from '../../lib/files/files.ts'
import { shorten } from '../../lib/shorten.ts'
import type { SessionRow } from '../../store/tables.ts'
import { aboutSession, type Core, type Tx } from '../base/index.ts'
import { addInbox } from '../inbox/index.ts'
import type { HookRun } from './moment.ts'

const PREVIEW_CHARS = 200

/** What hooks did becomes events. Of one that fails the person is told, once in a session. */
export async function recordRuns(
  core: Core,
  tx: Tx,
  session: SessionRow,
  runs: readonly HookRun[],
  about: { readonly callId?: string; readonly turnId?: string } = {},
): Promise<void> {
  for (const { hook, verdict, said, durationMs } of runs) {
    const preview = said && shorten(tx.mask(said.slice(0, 5000)), PREVIEW_CHARS)
    tx.record('hook.ended', aboutSession(session), {
      event: hook.event,
      hook: hook.name,
      verdict,
      durationMs,
      ...about,
      ...(preview && { preview }),
    })
    if (verdict !== 'failed') continue
    tx.after(() => core.log('warn', 'a hook failed', { sessionId: session.id, hook: hook.name, why: preview }))
    await addInbox(tx, session, {
      id: `inbox_${sha256(`hook ${hook.key} ${session.id}`).slice(0, 24)}`,
      kind: 'notice',
      title: `The hook "${hook.name}" fails`,
      body: `${hook.event}, from ${hook.from}: ${tx.mask(said ?? '')}. ${consequence[hook.event]} Try it with "troupe hooks test ${hook.event}", and repair it or take it out there.`,
    })
  }
}

const WENT_ON = 'The work goes on without it.'

const consequence: Readonly<Record<HookRun['hook']['event'], string>> = {
  beforeTool: 'Calls that it is about are refused until it works again.',
  sessionStart: WENT_ON,
  afterTool: WENT_ON,
  turnEnd: WENT_ON,
  taskEnd: WENT_ON,
}
