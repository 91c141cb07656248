import { type ReactNode, useState } from 'react'
import { tellingPart } from '../../../../src/client/call-words.ts'
import { duration, Took } from '../../parts/figures.tsx'
import { Glyph, Icon, type IconName } from '../../parts/icon.tsx'
import { changeOf } from '../../state/change.ts'
import { shortPath } from '../../state/names.ts'
import type { ShownCall } from '../../state/rows.ts'
import { standings } from '../../state/standing.ts'
import { CallBody } from '../conversation/call-body.tsx'
import { costOf, Line } from './line.tsx'

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

/** Of these the input is words for somebody. */
const spoken = new Set(['ask_human', 'agent_send', 'agent_message', 'agent_spawn', 'checkpoint', 'publish'])

/** A call in one line; a click shows what went in and came out. */
export function CallLine({
  at,
  call,
  costUsd,
}: {
  at: string
  call: ShownCall
  costUsd: number | undefined
}): ReactNode {
  const [open, setOpen] = useState(false)
  const { now, result, name } = call
  const [verb, icon] = verbs[name] ?? ([name, 'bolt'] as const)
  const failed = result?.error || now?.state === 'failed' || now?.state === 'denied'
  const runs = result === undefined && now?.state === 'running'
  const waits = result === undefined && !runs
  const change = changeOf(name, call.input)
  const What = spoken.has(name) ? 'span' : 'code'
  return (
    <Line
      at={at}
      mark={
        failed ? (
          <Glyph standing={standings.failed} />
        ) : runs ? (
          <Glyph standing={standings.working} />
        ) : waits ? (
          <Glyph
            standing={name === 'ask_human' ? standings.asks : now?.inboxId ? standings.approval : standings.waiting}
          />
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
          costOf(costUsd)
        )
      }
    >
      <button type="button" className="act-open" aria-expanded={open} onClick={() => setOpen(!open)}>
        {verb} <What>{shortPath(tellingPart(call)).replace(/\s+/g, ' ').slice(0, 200)}</What>
        {change && change.added > 0 && <span className="plus"> +{change.added}</span>}
        {change && change.removed > 0 && <span className="minus"> −{change.removed}</span>}
        {failed && <span className="soft"> {(now?.problem ?? String(result?.output ?? '')).slice(0, 200)}</span>}
      </button>
      {runs && now?.output && <pre className="out">{now.output.text.slice(-2000)}</pre>}
      {open && (
        <div className="tools">
          <CallBody call={call} change={change} />
        </div>
      )}
    </Line>
  )
}
