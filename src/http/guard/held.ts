import { mayEndTurn } from '../../core/base/index.ts'
import { holds } from '../../core/sessions/index.ts'
import type { ServerParts } from '../context.ts'
import type { Caller } from './auth.ts'

const POLL_MS = 2000

/** Calls `end` once the caller's token no longer holds, however long a request or socket stays open. Returns the way out. */
export function whileHeld(
  { core, devices }: Pick<ServerParts, 'core' | 'devices'>,
  caller: Caller,
  end: () => void,
): () => void {
  if (caller.kind === 'owner') return () => {}
  if (caller.kind === 'device') return devices.attend(caller.deviceId, end)
  const look = (): void =>
    void holds(core, caller.sessionId).then(
      (held) => held || end(),
      () => end(),
    )
  const off = core.bus.onCommit((events) => events.some(mayEndTurn) && look(), caller.sessionId)
  // Nothing hints at the commits of other processes.
  const poll = setInterval(look, POLL_MS).unref()
  return () => {
    off()
    clearInterval(poll)
  }
}
