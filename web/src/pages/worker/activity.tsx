import { type ReactNode, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { tellingPart } from '../../../../src/client/call-words.ts'
import type { Message } from '../../../../src/contract/messages.ts'
import type { Node } from '../../../../src/contract/runs.ts'
import { duration, money, Took } from '../../parts/figures.tsx'
import { Glyph, Icon, type IconName } from '../../parts/icon.tsx'
import { Button, Empty } from '../../parts/small.tsx'
import { type Act, actsOf } from '../../state/activity.ts'
import { changeOf } from '../../state/change.ts'
import type { Log } from '../../state/log.ts'
import { shortPath, useName } from '../../state/names.ts'
import type { ShownCall } from '../../state/rows.ts'
import { standingOfNode, standings } from '../../state/standing.ts'
import { textOf } from '../../state/words.ts'
import { CallBody } from '../conversation/call-body.tsx'

/** So many steps are drawn; a click shows as many more. */
const STEP = 200
const NEAR = 48

/** What the worker did, with times; what it does now is below. */
export function Activity({ log, nodes, older }: { log: Log; nodes: readonly Node[]; older: () => void }): ReactNode {
  const acts = useMemo(() => actsOf(log, nodes), [log, nodes])
  const [shown, setShown] = useState(STEP)
  const box = useBottom(acts.at(-1)?.key ?? '')
  const more = acts.length > shown || log.more
  if (acts.length === 0) return <Empty title="It has done nothing yet." />
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
    <div className="stream acts" ref={box} tabIndex={0} role="log" aria-label="Activity">
      <div className="acts-all">
        {more && (
          <Button
            small
            look="ghost"
            onClick={() => {
              setShown(shown + STEP)
              if (acts.length <= shown + STEP) older()
            }}
          >
            Earlier
          </Button>
        )}
        {acts.slice(-shown).map((act) => (
          <ActLine key={act.key} act={act} />
        ))}
        {log.writing && (
          <Line
            at={log.writing.since}
            mark={<Glyph standing={standings.working} />}
            end={<Took since={log.writing.since} />}
          >
            {log.writing.text ? 'writes: ' : 'thinks: '}
            <span className="soft">{(log.writing.text || log.writing.reasoning).slice(-400)}</span>
          </Line>
        )}
      </div>
    </div>
  )
}

/** Stays at the bottom unless the person has scrolled up. */
function useBottom(last: string) {
  const box = useRef<HTMLDivElement>(null)
  const near = useRef(true)
  useEffect(() => {
    const shown = box.current
    const look = () => {
      if (shown) near.current = shown.scrollHeight - shown.scrollTop - shown.clientHeight < NEAR
    }
    shown?.addEventListener('scroll', look)
    return () => shown?.removeEventListener('scroll', look)
  }, [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new last step is what moves it
  useLayoutEffect(() => {
    if (near.current) box.current?.scrollTo({ top: box.current.scrollHeight })
  }, [last])
  return box
}

function ActLine({ act }: { act: Act }): ReactNode {
  const { at } = act
  switch (act.kind) {
    case 'took':
      return (
        <div className="day">
          {clockSeconds(at).slice(0, 5)} · took {act.node.title}
        </div>
      )
    case 'ended': {
      const { node } = act
      const files = node.published?.length ?? 0
      return (
        <Line at={at} mark={<Glyph standing={standingOfNode(node)} />}>
          {files > 0 ? `published ${files} ${files === 1 ? 'file' : 'files'}` : standingOfNode(node).word}
          {(node.summary ?? node.reason) && (
            <span className="soft">: {(node.summary ?? node.reason)?.slice(0, 400)}</span>
          )}
        </Line>
      )
    }
    case 'call':
      return <CallLine at={at} call={act.call} costUsd={act.costUsd} />
    case 'mail':
      return <MailLine at={at} message={act.message} />
    case 'said':
      return (
        <Line at={at} mark={<Icon name="right" />} end={cost(act.costUsd)}>
          <span className="soft clip">{act.text.slice(0, 600)}</span>
        </Line>
      )
    case 'remark':
      return (
        <Line
          at={at}
          mark={act.remark.kind === 'failed' ? <Glyph standing={standings.failed} /> : <Icon name="bell" />}
        >
          {act.remark.text}
        </Line>
      )
  }
}

function MailLine({ at, message: { from, parts } }: { at: string; message: Message }): ReactNode {
  const name = useName(from)
  return (
    <Line at={at} mark={<Icon name="message" />}>
      <span className="clip">
        read {name}: <span className="soft">{textOf(parts).slice(0, 600)}</span>
      </span>
    </Line>
  )
}

const cost = (usd: number | undefined): string => (usd === undefined ? '' : money(usd))

const verbs: Readonly<Record<string, readonly [string, IconName]>> = {
  read_file: ['read', 'file'],
  read_ref: ['read', 'file'],
  write_file: ['wrote', 'pencil'],
  edit_file: ['edited', 'pencil'],
  bash: ['', 'terminal'],
  grep: ['searched', 'search'],
  glob: ['searched', 'search'],
  list_dir: ['listed', 'folder'],
  agent_send: ['wrote to', 'send'],
  agent_message: ['asked', 'send'],
  agent_spawn: ['handed to', 'spawn'],
  checkpoint: ['checkpoint:', 'flag'],
  publish: ['published', 'check'],
  ask_human: ['asked you:', 'question'],
}

function CallLine({ at, call, costUsd }: { at: string; call: ShownCall; costUsd: number | undefined }): ReactNode {
  const [open, setOpen] = useState(false)
  const { now, result, name } = call
  const [verb, icon] = verbs[name] ?? ([name, 'bolt'] as const)
  const failed = result?.error || now?.state === 'failed' || now?.state === 'denied'
  const runs = result === undefined && now?.state === 'running'
  const waits = result === undefined && !runs
  const change = changeOf(name, call.input)
  return (
    <Line
      at={at}
      mark={
        failed ? (
          <Glyph standing={standings.failed} />
        ) : runs ? (
          <Glyph standing={standings.working} />
        ) : waits ? (
          <Glyph standing={name === 'ask_human' ? standings.asks : standings.waiting} />
        ) : (
          <Icon name={icon} />
        )
      }
      end={
        now?.durationMs !== undefined ? (
          duration(now.durationMs)
        ) : runs && now ? (
          <Took since={now.startedAt} />
        ) : (
          cost(costUsd)
        )
      }
    >
      <button type="button" className="act-open" aria-expanded={open} onClick={() => setOpen(!open)}>
        {verb} <code>{shortPath(tellingPart(call)).replace(/\s+/g, ' ').slice(0, 200)}</code>
        {change && change.added > 0 && <span className="plus"> +{change.added}</span>}
        {change && change.removed > 0 && <span className="minus"> −{change.removed}</span>}
        {failed && <span className="soft"> {(now?.problem ?? String(result?.output ?? '')).slice(0, 200)}</span>}
      </button>
      {runs && now?.output && <pre className="out">{now.output.slice(-2000)}</pre>}
      {open && (
        <div className="tools">
          <CallBody call={call} change={change} />
        </div>
      )}
    </Line>
  )
}

function Line({ at, mark, end, children }: { at: string; mark: ReactNode; end?: ReactNode; children: ReactNode }) {
  return (
    <div className="act">
      <time dateTime={at} title={new Date(at).toLocaleString()}>
        {clockSeconds(at)}
      </time>
      {mark}
      <div className="act-what">{children}</div>
      <span className="ms">{end}</span>
    </div>
  )
}

const clockSeconds = (at: string): string => new Date(at).toLocaleTimeString([], { hour12: false })
