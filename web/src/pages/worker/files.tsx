import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Node } from '../../../../src/contract/runs.ts'
import { Icon } from '../../parts/icon.tsx'
import { Empty } from '../../parts/small.tsx'
import { bytes } from '../board/node-files.tsx'
import { Preview } from '../board/preview.tsx'

/** What the worker handed over; a file opens below the list. */
export function Files({ run, name, nodes }: { run: string; name: string; nodes: readonly Node[] }): ReactNode {
  const go = useNavigate()
  const { file, ...search } = useSearch({ strict: false }) as Record<string, string>
  const published = nodes.flatMap((node) =>
    (node.published ?? []).map((one) => ({ ...one, node, whole: `nodes/${node.id}/published/${one.path}` })),
  )
  const open = published.find(({ whole }) => whole === file)
  const choose = (whole: string) =>
    go({ to: '.', search: (whole === file ? search : { ...search, file: whole }) as never })
  return (
    <section className="sec">
      <h2 className="sec-h">
        Published
        {published.length > 0 && <span className="right">read-only, by hash</span>}
      </h2>
      {published.length === 0 && (
        <Empty title="Nothing published yet.">
          It appears here when {name} publishes.{' '}
          <Link className="link" to="/runs/$run/$tab" params={{ run, tab: 'files' }}>
            Files of the run
          </Link>
        </Empty>
      )}
      {published.map(({ path, size, whole }) => (
        <button
          key={whole}
          type="button"
          className={`fl${whole === file ? ' on' : ''}`}
          aria-expanded={whole === file}
          onClick={() => choose(whole)}
        >
          <Icon name="file" small />
          <span className="cut grow">{path}</span>
          <span className="num mute">{bytes(size)}</span>
        </button>
      ))}
      {open && (
        <>
          <Preview key={open.whole} run={run} path={open.whole} name={open.path} />
          <p className="small mute file-of">
            <span className="cut">{open.node.title}</span>
            <span className="handle" title={open.sha256}>
              {open.sha256.slice(0, 6)}
            </span>
          </p>
        </>
      )}
    </section>
  )
}
