import type { SessionRow, TaskRow } from '../../store/tables.ts'
import { putSubscription } from '../../store/tasks.ts'
import type { Tx } from '../base/index.ts'

/** Whoever gave a task learns how it ends: by the call, which waits, by mail, or not at all, though it pays. */
export const subscribe = (
  tx: Tx,
  task: TaskRow,
  { session, callId = null }: { readonly session: Pick<SessionRow, 'id'>; readonly callId?: string | null },
  tells: 'call' | 'mail' | 'nobody',
): Promise<void> =>
  putSubscription(tx.db, {
    task_id: task.id,
    session_id: session.id,
    call_id: tells === 'call' ? callId : null,
    any_of: 0,
    state: tells === 'nobody' ? 'silent' : 'open',
    charged_usd: 0,
    charged_tokens: 0,
    created_at: tx.now,
  })
