import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Message } from '../../../../src/contract/messages.ts'
import type { Session } from '../../../../src/contract/sessions.ts'
import { attempt, Button } from '../../parts/small.tsx'
import { forkAt } from '../../state/session-acts.ts'

/** What can be done with one message; shown when it is pointed at or has the focus. */
export function MessageActs({
  message,
  text,
  session,
  edit,
}: {
  message: Message
  text: string
  session: Session
  edit?: () => void
}): ReactNode {
  const go = useNavigate()
  const fork = () =>
    attempt(async () => {
      const { id } = await forkAt(session.id, message.id)
      await go({ to: '/sessions/$session', params: { session: id } })
    })
  return (
    <div className="msg-acts">
      {text && (
        <Button
          look="ghost"
          small
          icon="copy"
          aria-label="Copy"
          title="Copy"
          onClick={() => navigator.clipboard.writeText(text)}
        />
      )}
      {edit && <Button look="ghost" small icon="pencil" aria-label="Edit" title="Edit" onClick={edit} />}
      <Button look="ghost" small icon="fork" aria-label="Fork from here" title="Fork from here" onClick={fork} />
    </div>
  )
}
