import { type ReactNode, useState } from 'react'
import type { Run } from '../../../../src/contract/runs.ts'
import type { Why } from '../../../../src/contract/why.ts'
import { type Resource, stale, useLive } from '../../live/resource.ts'
import { server } from '../../live/server.ts'
import { Icon } from '../../parts/icon.tsx'
import { WhyWords } from '../../parts/why.tsx'
import { isOver } from './view.ts'

/** The computed line of why something does not go on. Times in it are of when it was read. */
export const whyResource = (ref: string, run: string): Resource<Why> => ({
  key: `why ${ref}`,
  read: () => server.snapshot('GET /api/why/{ref}', { params: { ref } }),
  interest: {
    run,
    types: [
      ...(['run.status', 'node.created', 'node.started', 'node.waiting', 'node.finished', 'node.failed'] as const),
      ...(['node.canceled', 'node.blocked', 'node.reopened', 'node.retried', 'stage.started'] as const),
      ...(['stage.completed', 'call.parked', 'call.resumed', 'turn.ended', 'session.status'] as const),
    ],
  },
  fold: () => stale,
})

/** The first line is the answer; the rest is who waits for whom, and who can change it. */
export function WhyStrip({ run }: { run: Run }): ReactNode {
  const { value } = useLive(whyResource(run.id, run.id))
  const [open, setOpen] = useState(false)
  if (value === undefined || (isOver(run.status) && run.summary !== undefined)) return null
  const [line = '', ...rest] = value.text.split('\n')
  return (
    <div className="why-strip">
      <button
        type="button"
        className="why whybar"
        aria-expanded={open}
        disabled={rest.length === 0}
        onClick={() => setOpen(!open)}
      >
        <b>why</b>
        <span className="cut" title={line}>
          <WhyWords line={line} />
        </span>
        {rest.length > 0 && <Icon name={open ? 'up' : 'down'} small />}
      </button>
      {open && <pre className="why-rest">{rest.join('\n')}</pre>}
    </div>
  )
}
