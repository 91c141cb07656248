import { type ReactNode, useState } from 'react'
import type { Message, Part } from '../../../../src/contract/messages.ts'
import type { Session } from '../../../../src/contract/sessions.ts'
import { clock } from '../../parts/figures.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Markdown } from '../../parts/markdown.tsx'
import { Avatar, Handle } from '../../parts/small.tsx'
import { useName } from '../../state/names.ts'
import { senderOf, textOf } from '../../state/words.ts'
import { EditMessage } from './edit-message.tsx'
import { MessageActs } from './message-acts.tsx'

/** What came in: the person's words, mail of another agent, or a word of the system. */
export function Said({ message, session }: { message: Message; session: Session }): ReactNode {
  const { parts, deletedAt } = message
  const [editing, setEditing] = useState(false)
  const text = textOf(parts)
  if (deletedAt) return <div className="event">A message was deleted · {clock(deletedAt)}</div>
  if (editing) return <EditMessage message={message} session={session} done={() => setEditing(false)} />
  const sender = senderOf(message)
  if (sender === 'system') return <SystemSaid message={message} text={text} />
  if (sender !== 'human')
    return <MailCard message={message} text={text} to={session.worker ?? session.agent} session={session} />
  return (
    <article className="msg you" aria-label={`You, ${clock(message.createdAt)}`}>
      <Avatar name="you" you />
      <div className="msg-all">
        <div className="msg-h">
          <b>you</b>
          <span title={message.createdAt}>{clock(message.createdAt)}</span>
          {message.editedAt && <span>edited</span>}
        </div>
        <div className="txt">
          <Markdown text={text} />
          <Files parts={parts} />
        </div>
        <MessageActs message={message} text={text} session={session} edit={() => setEditing(true)} />
      </div>
    </article>
  )
}

/** A message of another member, with its sender. */
function MailCard({
  message,
  text,
  to,
  session,
}: {
  message: Message
  text: string
  to: string
  session: Session
}): ReactNode {
  const { from, createdAt } = message
  const name = useName(from)
  return (
    <article className="mail" aria-label={`${name} to ${to}, ${clock(createdAt)}`}>
      <div className="mail-h">
        {from?.kind === 'trigger' ? <Icon name="trigger" small /> : <Avatar name={name} small />}
        <b>{name}</b>
        {from?.handle && <Handle handle={from.handle} />}
        <span className="cut">
          to {to} · {clock(createdAt)} · {from?.asks ? 'waits for the answer' : 'read at a safe point'}
        </span>
      </div>
      <div className="mail-b">
        <Markdown text={text} />
        <Files parts={message.parts} />
        <MessageActs message={message} text={text} session={session} />
      </div>
    </article>
  )
}

const SHORT = 140

function SystemSaid({ message, text }: { message: Message; text: string }): ReactNode {
  const [open, setOpen] = useState(false)
  const first = text
    .slice(0, 4 * SHORT)
    .replace(/^node_\w+\s*/, '')
    .replace(/\s+/g, ' ')
  return (
    <div className="system">
      <button type="button" className="tool" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Icon name={open ? 'down' : 'right'} small />
        <span className="cut">told by Troupe: {first.slice(0, SHORT)}</span>
        <span className="ms">{clock(message.createdAt)}</span>
      </button>
      {open && (
        <div className="reasoning-b">
          <Markdown text={text} />
        </div>
      )}
    </div>
  )
}

const Files = ({ parts }: { parts: readonly Part[] }): ReactNode =>
  parts
    .filter((part) => part.type === 'file')
    .map(({ name, mediaType }, at) => (
      <span key={at} className="tag">
        <Icon name="file" small />
        {name ?? mediaType}
      </span>
    ))
