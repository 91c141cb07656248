import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { Message } from '../../../../src/contract/messages.ts'
import type { Session } from '../../../../src/contract/sessions.ts'
import { modKey } from '../../parts/mod-key.ts'
import { attempt, Button } from '../../parts/small.tsx'
import { deleteMessage, editMessage, forkBefore, say } from '../../state/session-acts.ts'
import { textOf } from '../../state/words.ts'

const resendKey = modKey('↵')

/** Changes what was said, or says it otherwise in a copy that ends before it. What it said before stays for people. */
export function EditMessage({
  message,
  session,
  done,
}: {
  message: Message
  session: Session
  done: () => void
}): ReactNode {
  const [text, setText] = useState(textOf(message.parts))
  const go = useNavigate()
  const [sure, setSure] = useState(false)
  const save = async () => {
    if (text.trim() !== '' && (await attempt(() => editMessage(session.id, message.id, text)))) done()
  }
  const resend = () =>
    attempt(async () => {
      const words = text.trim()
      if (words === '') return
      const { id } = await forkBefore(session.id, message.id)
      await say(id, words, 'send', crypto.randomUUID())
      await go({ to: '/sessions/$session', params: { session: id } })
    })
  const remove = async () => {
    if (await attempt(() => deleteMessage(session.id, message.id))) done()
  }
  return (
    <form
      className="composer edit"
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      <textarea
        className="in"
        aria-label="The message"
        value={text}
        // biome-ignore lint/a11y/noAutofocus: the person asked to edit it
        autoFocus
        onChange={({ target }) => setText(target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') {
            event.preventDefault()
            done()
          } else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
            event.preventDefault()
            void resend()
          } else if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) {
            event.preventDefault()
            void save()
          }
        }}
      />
      <div className="foot">
        {sure ? (
          <>
            <span className="small soft">Delete it? A tombstone stays.</span>
            <Button small look="danger" onClick={remove}>
              Delete
            </Button>
          </>
        ) : (
          <Button small look="ghost" onClick={() => setSure(true)}>
            Delete
          </Button>
        )}
        <span className="grow" />
        <Button small keys="Esc" onClick={done}>
          Keep as it was
        </Button>
        <Button
          small
          title="In a copy of this conversation that ends before the message"
          keys={resendKey}
          onClick={resend}
        >
          Resend in a copy
        </Button>
        <Button small look="primary" type="submit" keys="↵" title="In place; the agent reads it so with its next step">
          Save
        </Button>
      </div>
    </form>
  )
}
