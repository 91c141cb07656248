import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Board } from '../../../../src/contract/runs.ts'
import { duration, money } from '../../parts/figures.tsx'
import { Badge, Icon } from '../../parts/icon.tsx'
import { Markdown } from '../../parts/markdown.tsx'
import { Button } from '../../parts/small.tsx'
import { standingOfRun } from '../../state/standing.ts'
import { bytes } from './node-files.tsx'
import { Preview } from './preview.tsx'

/** What a run that is over came to: the coordinator's last words, and what the nodes handed over. */
export function Result({ board: { run, nodes }, close }: { board: Board; close?: () => void }): ReactNode {
  const done = nodes.filter(({ published = [] }) => published.length > 0)
  const took = run.endedAt && duration(Date.parse(run.endedAt) - Date.parse(run.createdAt))
  const last = done.toSorted((a, b) => (a.finishedAt ?? '').localeCompare(b.finishedAt ?? '')).at(-1)
  const main = last?.published?.find(({ path }) => /\.(md|markdown|txt)$/i.test(path))
  return (
    <aside className="drawer result" aria-label="Result">
      <div className="drawer-h">
        <h2 className="grow">Result</h2>
        <Badge standing={standingOfRun(run)} />
        {close && <Button look="ghost" small icon="x" aria-label="Close" onClick={close} />}
      </div>
      <div className="drawer-b">
        <section className="sec read">
          {run.summary ? (
            <Markdown text={run.summary} />
          ) : (
            <p className="soft">{run.reason ?? 'The coordinator left no summary.'}</p>
          )}
          {run.summary && run.reason && run.reason !== run.summary && <p className="small soft">{run.reason}</p>}
          <p className="small mute num">
            {took && `${took} · `}
            {money(run.costUsd, run.unpricedTokens)} ·{' '}
            <Link className="link" to="/sessions/$session" params={{ session: run.sessionId }}>
              talk it over with the coordinator
            </Link>
          </p>
        </section>
        {done.length > 0 && (
          <section className="sec">
            <h3 className="sec-h">
              Published<span className="right">newest first</span>
            </h3>
            {done.toReversed().map((node) => (
              <div key={node.id} className="handed">
                <div className="cut small soft" title={node.title}>
                  {node.title}
                  {node.worker && <span className="mute"> · {node.worker}</span>}
                </div>
                {node.published!.map(({ path, size }) => (
                  <Link
                    key={path}
                    className="fileline"
                    to="/runs/$run/$tab"
                    params={{ run: run.id, tab: 'files' }}
                    search={{ file: `nodes/${node.id}/published/${path}` }}
                  >
                    <Icon name="file" small />
                    <span className="cut grow">{path}</span>
                    <span className="tiny mute num">{bytes(size)}</span>
                  </Link>
                ))}
              </div>
            ))}
          </section>
        )}
        {last && main && <Preview run={run.id} path={`nodes/${last.id}/published/${main.path}`} name={main.path} />}
      </div>
    </aside>
  )
}
