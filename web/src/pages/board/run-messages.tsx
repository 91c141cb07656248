import { type ReactNode, useState } from 'react'
import type { Mail } from '../../../../src/contract/mail.ts'
import type { Board } from '../../../../src/contract/runs.ts'
import { type Resource, stale, useLive } from '../../live/resource.ts'
import { server } from '../../live/server.ts'
import { clock, clockWhole } from '../../parts/figures.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Markdown } from '../../parts/markdown.tsx'
import { Avatar, Button, Empty, Failed, Skeleton } from '../../parts/small.tsx'
import { useAddress } from '../../shell/address.ts'

const PAGE = 100

const messagesResource = (run: string): Resource<readonly Mail[]> => ({
  key: `messages of ${run}`,
  async read() {
    const { value, seq } = await server.snapshot('GET /api/runs/{id}/messages', {
      params: { id: run },
      query: { limit: PAGE },
    })
    return { value: value.items, seq }
  },
  interest: { run, types: ['mail.accepted', 'mail.taken', 'mail.answered', 'mail.undeliverable'] },
  fold: () => stale,
})

/** What the members of a run and the person wrote to each other, the newest first. */
export function RunMessages({ board }: { board: Board }): ReactNode {
  const { run, workers } = board
  const { value: mails, failure, refresh } = useLive(messagesResource(run.id))
  const [{ all }, put] = useAddress()
  if (mails === undefined)
    return <div className="pad">{failure ? <Failed failure={failure} retry={refresh} /> : <Skeleton rows={5} />}</div>
  const nameOf = (sessionId: string | undefined, otherwise: string | undefined): string =>
    sessionId === run.sessionId
      ? 'coordinator'
      : (workers.find((worker) => worker.sessionId === sessionId)?.name ?? otherwise ?? 'Troupe')
  const shown = mails.filter(({ from }) => all !== undefined || from.kind !== 'system')
  const hidden = mails.length - shown.length
  return (
    <div className="run-mails">
      {shown.length === 0 && (
        <Empty title="Nobody has written yet">
          Messages between the members and from you are here. Write to them with m.
        </Empty>
      )}
      {shown.map((mail) => {
        const who = mail.from.kind === 'human' ? 'you' : nameOf(mail.from.sessionId, mail.from.agent)
        const whom = nameOf(mail.sessionId, undefined)
        return <MailCard key={mail.id} mail={mail} who={who} whom={whom} />
      })}
      {(hidden > 0 || all !== undefined) && (
        <Button small look="ghost" onClick={() => put({ all: all === undefined ? '1' : undefined })}>
          {all === undefined ? `Show ${hidden} of the run itself` : 'Hide those of the run itself'}
        </Button>
      )}
      {mails.length === PAGE && <p className="small mute">The newest {PAGE}. All of them are in the export.</p>}
    </div>
  )
}

const FOLDED = 600

function MailCard({ mail, who, whom }: { mail: Mail; who: string; whom: string }): ReactNode {
  const [open, setOpen] = useState(false)
  const { content, from, state, createdAt, asksUntil } = mail
  const long = content.length > FOLDED
  return (
    <article className="mail" aria-label={`${who} to ${whom}`}>
      <div className="mail-h">
        <Avatar name={who} small you={from.kind === 'human'} star={who === 'coordinator'} />
        <b>{who}</b>
        <Icon name="arrow" small />
        <b>{whom}</b>
        {asksUntil && <span className="tag">asks</span>}
        <span className="right">{receipts[state]}</span>
        <time className="num" dateTime={createdAt} title={clockWhole(createdAt)}>
          {clock(createdAt)}
        </time>
      </div>
      <div className="mail-b">
        <Markdown text={long && !open ? `${content.slice(0, FOLDED)}…` : content} />
        {long && (
          <Button small look="ghost" onClick={() => setOpen(!open)}>
            {open ? 'Less' : 'All of it'}
          </Button>
        )}
      </div>
    </article>
  )
}

const receipts: Record<Mail['state'], string> = {
  queued: 'waits for a safe point',
  held: 'held',
  suppressed: 'suppressed',
  taken: 'read',
  answered: 'answered',
  expired: 'expired',
  undeliverable: 'undeliverable',
}
