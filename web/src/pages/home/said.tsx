import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Mail } from '../../../../src/contract/mail.ts'
import { type Resource, stale, useLive } from '../../live/resource.ts'
import { server } from '../../live/server.ts'
import { spaced } from '../../live/spaced.ts'
import { clock } from '../../parts/figures.tsx'
import { Icon } from '../../parts/icon.tsx'
import { useRuns } from '../../state/runs.ts'
import { useSessions } from '../../state/sessions.ts'
import { isOpen } from './at-work.ts'
import { Head } from './head.tsx'

const RUNS = 3
const SHOWN = 4

/** The newest messages between members of these runs. */
const saidIn = (runs: readonly string[]): Resource<readonly Mail[]> => ({
  key: `said ${runs.join(' ')}`,
  read: spaced(1000, async () => {
    const pages = await Promise.all(
      runs.map((id) => server.snapshot('GET /api/runs/{id}/messages', { params: { id }, query: { limit: 20 } })),
    )
    return { value: pages.flatMap(({ value }) => value.items), seq: pages[0]?.seq }
  }),
  interest: { types: ['mail.accepted'] },
  fold: (said, { runId }) => (runId === undefined || runs.includes(runId) ? stale : said),
})

export function SaidLately(): ReactNode {
  const runs = useRuns().value ?? []
  const newest = [...runs.filter(isOpen), ...runs.filter((run) => !isOpen(run))].slice(0, RUNS)
  return newest.length === 0 ? null : <Said runs={newest.map(({ id }) => id)} />
}

function Said({ runs }: { runs: readonly string[] }): ReactNode {
  const sessions = useSessions().value ?? []
  const names = new Map(sessions.map(({ id, worker, agent }) => [id as string, worker ?? agent]))
  const said = (useLive(saidIn(runs)).value ?? [])
    .filter(({ from }) => from.kind === 'agent' && from.sessionId !== undefined)
    .toSorted((a, b) => b.createdAt.localeCompare(a.createdAt))
    .slice(0, SHOWN)
  if (said.length === 0) return null
  return (
    <section aria-label="Said lately">
      <Head title="Said lately" to="/feed" more="All that happened" keys={['g', 'l']} />
      <div className="card home-talk">
        {said.map(({ id, from, sessionId, content, createdAt }) => (
          <Link key={id} className="row" to="/sessions/$session" params={{ session: sessionId }}>
            <time className="num">{clock(createdAt)}</time>
            <span className="pair">
              <b className="cut">{names.get(from.sessionId ?? '') ?? from.agent}</b>
              <Icon name="arrow" small />
              <b className="cut">{names.get(sessionId) ?? 'a session'}</b>
            </span>
            <span className="cut grow soft">{content.slice(0, 300)}</span>
          </Link>
        ))}
      </div>
    </section>
  )
}
