import {
  type ClipboardEvent,
  type DragEvent,
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useRef,
  useState,
} from 'react'
import type { Session } from '../../../../src/contract/sessions.ts'
import { useConnection } from '../../live/connection.ts'
import { attempt, Button } from '../../parts/small.tsx'
import { useKeys } from '../../shell/keys.ts'
import { type How, resumeSession, say, stopTurn, uploadFile } from '../../state/session-acts.ts'
import { askedAt, type Suggestion, Suggestions, useSuggestions } from './completion.tsx'
import { useDraft } from './draft.ts'

const isMac = /Mac/.test(navigator.platform)
const isTouch = matchMedia('(pointer: coarse)').matches
const ARMED_MS = 2500

interface Sent {
  readonly text: string
  readonly how: How
  readonly clientId: string
}

/** Where the person writes to a session. `accepted` shows the message until the log has it. */
export function Composer({
  session,
  commands = [],
  accepted,
}: {
  session: Session
  commands?: readonly Suggestion[]
  accepted: (text: string, mailId: string, outcome: string) => void
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
  const insertSign = (sign: string) => {
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
        <div className={`foot${works ? ' works' : ''}`}>
          <Button look="ghost" icon="at" aria-label="Mention" onClick={() => insertSign('@')} />
          <Button look="ghost" icon="slash" aria-label="Skill or command" onClick={() => insertSign('/')} />
          <Button look="ghost" icon="clip" aria-label="Attach a file" onClick={attach} />
          {picker}
          <span className="grow" />
          {works && (
            <Button look="danger" icon="stop" keys="Esc" onClick={() => attempt(() => stopTurn(id))}>
              {armed ? 'Again' : 'Stop'}
            </Button>
          )}
          {status === 'paused' && (
            <Button icon="play" onClick={() => attempt(() => resumeSession(id))}>
              Resume
            </Button>
          )}
          {works && (
            <Button icon="bolt" keys={isMac ? '⌘↵' : 'Ctrl ↵'} disabled={empty} onClick={() => submit('interrupt')}>
              Interrupt
            </Button>
          )}
          {(works || status === 'paused') && (
            <Button icon="queue" keys={isMac ? '⌥↵' : 'Alt ↵'} disabled={empty} onClick={() => submit('queue')}>
              Queue
            </Button>
          )}
          <Button look="primary" icon="send" keys="↵" disabled={empty} onClick={() => submit('send')}>
            Send
          </Button>
        </div>
      </section>
      <p className="hint">
        {sending ? (
          <span role="status">The server is away: this is sent when it is back.</span>
        ) : armed ? (
          <span role="status">Esc again stops {name}.</span>
        ) : works ? (
          <>
            <span>Send: read at the next safe point.</span>
            <span>Queue: after this turn.</span>
            <span>Interrupt: now, the step ends.</span>
          </>
        ) : status === 'closed' ? (
          <span>Closed; a message opens it again.</span>
        ) : (
          <span>Enter sends, Shift Enter begins a line.</span>
        )}
        {!empty && <span className="right">draft kept</span>}
      </p>
    </>
  )
}

/** Sends once; what does not reach the server goes out when it is back, and never twice. */
function useSend(session: string, accepted: (text: string, mailId: string, outcome: string) => void) {
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

/** The first Esc arms, the second stops. */
function useStop(session: string, works: boolean): readonly [boolean, () => void] {
  const [armed, setArmed] = useState(false)
  useEffect(() => {
    if (!armed) return
    const timer = setTimeout(() => setArmed(false), ARMED_MS)
    return () => clearTimeout(timer)
  }, [armed])
  const stop = () => {
    setArmed(!armed)
    if (armed) void attempt(() => stopTurn(session))
  }
  return [armed && works, stop]
}

/** Files that are dropped or chosen go into the workspace, and their paths into the text. */
function useUploads(session: string, put: (path: string) => void) {
  const input = useRef<HTMLInputElement>(null)
  const upload = async (files: FileList | null | undefined) => {
    for (const file of files ?? []) await attempt(async () => put(await uploadFile(session, file)))
  }
  const drop = {
    onDragOver: (event: DragEvent) => event.preventDefault(),
    onDrop: (event: DragEvent) => {
      event.preventDefault()
      void upload(event.dataTransfer.files)
    },
    onPaste: (event: ClipboardEvent) => {
      if (event.clipboardData.files.length > 0) void upload(event.clipboardData.files)
    },
  }
  const picker = (
    <input
      ref={input}
      type="file"
      multiple
      hidden
      aria-label="Files to attach"
      onChange={({ target }) => {
        void upload(target.files)
        target.value = ''
      }}
    />
  )
  return { drop, attach: () => input.current?.click(), picker }
}
