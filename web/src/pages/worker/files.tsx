import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useMemo } from 'react'
import type { Node } from '../../../../src/contract/runs.ts'
import { type Resource, useLive } from '../../live/resource.ts'
import { server } from '../../live/server.ts'
import { Icon } from '../../parts/icon.tsx'
import { Markdown } from '../../parts/markdown.tsx'
import { Empty, Failed } from '../../parts/small.tsx'

const Code = lazy(() => import('../../parts/code.tsx'))

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
          It appears here when {name} publishes.
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
          <Preview key={open.whole} run={run} path={open.whole} />
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

const SHOWN = 20_000

const fileOf = (run: string, path: string): Resource<{ text: string }> => ({
  key: `run file ${run} ${path}`,
  read: () => server.snapshot('GET /api/runs/{id}/file', { params: { id: run }, query: { path } }),
})

function Preview({ run, path }: { run: string; path: string }): ReactNode {
  const { value, failure, refresh } = useLive(useMemo(() => fileOf(run, path), [run, path]))
  if (failure) return <Failed failure={failure} retry={refresh} />
  if (value === undefined) return null
  const text = value.text.slice(0, SHOWN)
  if (path.endsWith('.md')) return <Markdown text={text} />
  return (
    <Suspense fallback={<pre className="code">{text}</pre>}>
      <Code text={text} language={path.split('.').at(-1) ?? ''} />
    </Suspense>
  )
}

function bytes(size: number): string {
  if (size < 1024) return `${size} B`
  return size < 1024 * 1024 ? `${(size / 1024).toFixed(1)} KB` : `${(size / 1024 / 1024).toFixed(1)} MB`
}
