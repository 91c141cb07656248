import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react'
import type { Session } from '../../../../src/contract/sessions.ts'
import { useKeys } from '../../shell/keys.ts'
import type { How } from '../../state/session-acts.ts'
import { askedAt, type Suggestion, Suggestions, useSuggestions } from './completion.tsx'
import { ComposerFoot, Hint } from './composer-foot.tsx'
import { useDraft } from './draft.ts'
import { type Accepted, useSend } from './send.ts'
import { useStop } from './stop.ts'
import { useUploads } from './uploads.tsx'

const isTouch = matchMedia('(pointer: coarse)').matches

/** Where the person writes to a session. `accepted` shows the message until the log has it. */
export function Composer({
  session,
  commands = [],
  accepted,
}: {
  session: Session
  commands?: readonly Suggestion[]
  accepted: Accepted
}): ReactNode {
  const { id, status } = session
  const name = session.worker ?? session.agent
  const [text, setText] = useDraft(id)
  const [caret, setCaret] = useState(0)
  const [pick, setPick] = useState(0)
  const [closed, setClosed] = useState(false)
  const field = useRef<HTMLTextAreaElement>(null)
  const works = status === 'running' || status === 'waiting'
  const asked = closed ? undefined : askedAt(text, caret)
  const suggestions = useSuggestions(session, asked, commands)
  const { sending, send } = useSend(id, accepted)
  const [armed, stop] = useStop(id, works)
  const { drop, attach, picker } = useUploads(id, (path) =>
    write(`${text}${text && !text.endsWith(' ') ? ' ' : ''}@${path} `),
  )

  function write(next: string, at = next.length): void {
    setText(next)
    setCaret(at)
    setPick(0)
    setClosed(false)
  }
  const submit = (how: How) => {
    const said = text.trim()
    if (said === '') return
    const command = commands.find(({ label }) => label === said)
    write('')
    if (command?.act) void command.act()
    else void send({ text: said, how, clientId: crypto.randomUUID() })
  }
  const choose = ({ insert, act }: Suggestion) => {
    if (asked === undefined) return
    const rest = text.slice(caret)
    write(act ? '' : text.slice(0, asked.from) + insert + rest, asked.from + insert.length)
    if (act) void act()
    field.current?.focus()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    const { key } = event
    const step = key === 'ArrowDown' ? 1 : key === 'ArrowUp' ? -1 : undefined
    if (suggestions.length > 0 && step) setPick((pick + step + suggestions.length) % suggestions.length)
    else if (suggestions.length > 0 && (key === 'Tab' || (key === 'Enter' && !event.shiftKey)))
      choose(suggestions[pick] ?? suggestions[0]!)
    else if (suggestions.length > 0 && key === 'Escape') setClosed(true)
    else if (key === 'Enter' && (event.metaKey || event.ctrlKey)) submit('interrupt')
    else if (key === 'Enter' && event.altKey) submit('queue')
    else if (key === 'Enter' && !event.shiftKey && !isTouch) submit('send')
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  useKeys({ i: () => field.current?.focus(), ...(works && { Escape: stop }) })
  const insertSign = (sign: '@' | '/') => {
    write(sign === '/' ? `/${text}` : `${text}${text && !text.endsWith(' ') ? ' ' : ''}@`, sign === '/' ? 1 : undefined)
    field.current?.focus()
  }
  const empty = text.trim() === ''
  return (
    <>
      <section className="composer" aria-label={`Write to ${name}`} {...drop}>
        {suggestions.length > 0 && <Suggestions all={suggestions} at={pick} choose={choose} />}
        <textarea
          ref={field}
          className="in"
          rows={1}
          value={text}
          placeholder={`Write to ${name}`}
          aria-label={`Message to ${name}`}
          aria-controls={suggestions.length > 0 ? 'suggestions' : undefined}
          aria-activedescendant={suggestions.length > 0 ? `suggestion-${pick}` : undefined}
          onChange={({ target }) => write(target.value, target.selectionStart)}
          onSelect={({ currentTarget }) => setCaret(currentTarget.selectionStart)}
          onKeyDown={onKeyDown}
        />
        <ComposerFoot session={session} armed={armed} empty={empty} sign={insertSign} attach={attach} submit={submit} />
        {picker}
      </section>
      <Hint session={session} sending={sending} armed={armed} empty={empty} />
    </>
  )
}
