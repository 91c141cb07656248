import { useEffect, useRef, useState } from 'react'
import { useConnection } from '../../live/connection.ts'
import { attempt } from '../../parts/small.tsx'
import { type How, say } from '../../state/session-acts.ts'

interface Sent {
  readonly text: string
  readonly how: How
  readonly clientId: string
}

/** The message as the server took it, to be shown until the log has it. */
export type Accepted = (text: string, mailId: string, outcome: string) => void

/** Sends once; what does not reach the server goes out when it is back, and never twice. */
export function useSend(session: string, accepted: Accepted) {
  const { state } = useConnection()
  const [waiting, setWaiting] = useState<readonly Sent[]>([])
  const send = async (one: Sent): Promise<void> => {
    let lost = false
    await attempt(() =>
      say(session, one.text, one.how, one.clientId).then(
        ({ mailId, outcome }) => accepted(one.text, mailId, outcome),
        (thrown) => {
          lost = (thrown as { kind?: string }).kind === 'lost'
          if (!lost) throw thrown
        },
      ),
    )
    setWaiting((all) => [...all.filter(({ clientId }) => clientId !== one.clientId), ...(lost ? [one] : [])])
  }
  const later = useRef(send)
  later.current = send
  const count = waiting.length
  const first = waiting[0]
  useEffect(() => {
    if (state === 'live' && count > 0 && first) void later.current(first)
  }, [state, count, first])
  return { sending: count > 0, send }
}
