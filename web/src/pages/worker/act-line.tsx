import type { ReactNode } from 'react'
import type { Message } from '../../../../src/contract/messages.ts'
import { clockSeconds } from '../../parts/figures.tsx'
import { Glyph, Icon } from '../../parts/icon.tsx'
import type { Act } from '../../state/activity.ts'
import { useName } from '../../state/names.ts'
import { standingOfNode, standings } from '../../state/standing.ts'
import { textOf } from '../../state/words.ts'
import { CallLine } from './call-line.tsx'
import { costOf, Line } from './line.tsx'

/** One step of a worker. */
export function ActLine({ act }: { act: Act }): ReactNode {
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
        <Line at={at} mark={<Icon name="right" />} end={costOf(act.costUsd)}>
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
