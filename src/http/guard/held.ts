import { mayEndTurn } from '../../core/base/index.ts'
import { holds } from '../../core/sessions/index.ts'
import type { ServerParts } from '../context.ts'
import type { Caller } from './auth.ts'

/** Calls `end` once the caller's token no longer holds, however long a request or socket stays open. Returns the way out. */
export function whileHeld(
  { core, devices }: Pick<ServerParts, 'core' | 'devices'>,
  caller: Caller,
  end: () => void,
): () => void {
  if (caller.kind === 'owner') return () => {}
  if (caller.kind === 'device') return devices.attend(caller.deviceId, end)
  return core.bus.onCommit((events) => {
    if (!events.some(mayEndTurn)) return
    holds(core, caller.sessionId).then(
      (held) => held || end(),
      () => end(),
    )
  }, caller.sessionId)
}
