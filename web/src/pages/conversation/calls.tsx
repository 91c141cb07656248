import { type ReactNode, useState } from 'react'
import { summaryOf, tellingPart } from '../../../../src/client/call-words.ts'
import { outcomesIn } from '../../../../src/client/outcomes.ts'
import { duration, Took } from '../../parts/figures.tsx'
import { Glyph, Icon } from '../../parts/icon.tsx'
import { changeOf } from '../../state/change.ts'
import { shortPath } from '../../state/names.ts'
import type { ShownCall } from '../../state/rows.ts'
import { standings } from '../../state/standing.ts'
import { CallBody } from './call-body.tsx'
import { Helpers } from './helpers.tsx'

/** The list says these already: the question stands in the dock and its answer below, the todos in the panel. */
const quiet = new Set(['todo_write', 'todo_read'])

/** The calls of one stretch: those that ended in one line, those that run or failed each on its own. */
export function CallGroup({ calls }: { calls: readonly ShownCall[] }): ReactNode {
  const shown = calls.filter(({ name }) => !quiet.has(name))
  const asked = shown.filter(({ name }) => name === 'ask_human')
  const others = shown.filter(({ name }) => name !== 'ask_human')
  const folded = others.filter((call) => stateOf(call) === 'done')
  const apart = others.filter((call) => stateOf(call) !== 'done')
  return (
    <div className="stack">
      {folded.length > 1 ? <Folded calls={folded} /> : folded.map((call) => <Call key={call.id} call={call} />)}
      {apart.map((call) => (
        <Call key={call.id} call={call} />
      ))}
      {others.map((call) => (
        <Helpers key={call.id} sessions={call.now?.sessions ?? sessionsIn(call)} />
      ))}
      {asked.map((call) => (
        <Asked key={call.id} call={call} />
      ))}
    </div>
  )
}

type State = 'running' | 'waiting' | 'done' | 'failed' | 'denied'

/** The log has the last word: a call with a result has ended, whatever was missed. */
function stateOf({ now, result }: ShownCall): State {
  if (result) return now?.state === 'denied' ? 'denied' : result.error ? 'failed' : 'done'
  return now?.state ?? 'waiting'
}

const sessionsIn = ({ result }: ShownCall): readonly string[] =>
  result ? outcomesIn(result.output).map(({ session }) => session) : []

function Folded({ calls }: { calls: readonly ShownCall[] }): ReactNode {
  const [open, setOpen] = useState(false)
  const total = calls.reduce((sum, { now }) => sum + (now?.durationMs ?? 0), 0)
  return (
    <>
      <button type="button" className="tool" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Icon name={open ? 'down' : 'right'} small />
        <span className="cut">{summaryOf(calls)}</span>
        {total > 0 && <span className="ms">{duration(total)}</span>}
      </button>
      {open && (
        <div className="stack in">
          {calls.map((call) => (
            <Call key={call.id} call={call} />
          ))}
        </div>
      )}
    </>
  )
}

const LAST = 200

function Call({ call }: { call: ShownCall }): ReactNode {
  const [open, setOpen] = useState(false)
  const state = stateOf(call)
  const input = call.input
  const change = state === 'done' || open ? changeOf(call.name, input) : undefined
  const last = state === 'running' ? call.now?.output?.text.trimEnd().split('\n').at(-1) : undefined
  return (
    <div className={open ? 'tools' : undefined}>
      <button type="button" className="tool" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Icon name={open ? 'down' : 'right'} small />
        {state === 'failed' && <Glyph standing={standings.failed} />}
        {state === 'denied' && <Glyph standing={{ ...standings.canceled, word: 'denied' }} />}
        {state === 'running' && <Glyph standing={standings.working} />}
        {state === 'waiting' && <Glyph standing={call.now?.inboxId ? standings.approval : standings.waiting} />}
        <span className="t">{call.name}</span>
        <span className="what cut">{shortPath(tellingPart(call)).replace(/\s+/g, ' ').slice(0, LAST)}</span>
        {change && (
          <span className="t">
            {change.added > 0 && <span className="plus">+{change.added} </span>}
            {change.removed > 0 && <span className="minus">−{change.removed}</span>}
          </span>
        )}
        <Stands call={call} state={state} />
      </button>
      {!open && last && <p className="call-last cut">{last.slice(-LAST)}</p>}
      {!open && (state === 'failed' || state === 'denied') && (
        <p className="call-problem small">{(call.now?.problem ?? String(call.result?.output ?? '')).slice(0, 400)}</p>
      )}
      {open && <CallBody call={call} change={change} />}
    </div>
  )
}

const words: Partial<Record<State, string>> = { failed: 'failed', denied: 'denied' }

/** How long it took or takes, or what it waits for: amber is the person. */
function Stands({ call: { now }, state }: { call: ShownCall; state: State }): ReactNode {
  if (state === 'waiting')
    return now?.inboxId ? <span className="ms asks">needs approval</span> : <span className="ms">waits</span>
  const took = now?.durationMs === undefined ? undefined : duration(now.durationMs)
  return (
    <span className={`ms${state === 'failed' ? ' bad' : ''}`}>
      {state === 'running' && now ? <Took since={now.startedAt} /> : [words[state], took].filter(Boolean).join(', ')}
    </span>
  )
}

/** A question to the person and what came of it. */
function Asked({ call: { input, result } }: { call: ShownCall }): ReactNode {
  const question = (input as { question?: string } | null)?.question ?? ''
  const answer = result && (typeof result.output === 'string' ? result.output : JSON.stringify(result.output))
  return (
    <div className="asked-line">
      <Glyph standing={result ? { ...standings.done, word: 'answered' } : standings.asks} />
      <div>
        <p>{question}</p>
        <p className="soft">{answer ? `→ ${answer.slice(0, 1000)}` : 'waits for your answer'}</p>
      </div>
    </div>
  )
}
