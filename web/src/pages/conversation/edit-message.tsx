import { type ReactNode, useState } from 'react'
import type { Message } from '../../../../src/contract/messages.ts'
import type { Session } from '../../../../src/contract/sessions.ts'
import { attempt, Button } from '../../parts/small.tsx'
import { deleteMessage, editMessage } from '../../state/session-acts.ts'
import { textOf } from '../../state/words.ts'

/** Changes what was said. The agent is not told; what it said before stays for people. */
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
  const [sure, setSure] = useState(false)
  const save = async () => {
    if (text.trim() !== '' && (await attempt(() => editMessage(session.id, message.id, text)))) done()
  }
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
        <Button small look="primary" type="submit" keys="↵">
          Save
        </Button>
      </div>
    </form>
  )
}
