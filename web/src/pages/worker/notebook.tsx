import { useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Choice } from '../../parts/choice.tsx'
import { Empty, Skeleton } from '../../parts/small.tsx'
import { useRunFiles } from '../board/node-files.tsx'
import { Preview } from '../board/preview.tsx'

/** Its own notes come first, then what it learned, then whatever else it keeps. */
const first = ['notebook.md', 'memory.md']
/** So many of its files can be chosen here; all are under Files of the run. */
const MOST = 8

/** What the worker keeps for itself in its folder of the run. */
export function Notebook({ run, name }: { run: string; name: string }): ReactNode {
  const go = useNavigate()
  const { note, ...search } = useSearch({ strict: false }) as Record<string, string>
  const folder = `workers/${name}/`
  const files = useRunFiles(run, folder)
  const notes = (files ?? [])
    .map(({ path }) => path.slice(folder.length))
    .filter((path) => path.endsWith('.md') && path !== 'identity.md')
    .toSorted((a, b) => rank(a) - rank(b) || a.localeCompare(b))
    .slice(0, MOST)
  const open = notes.find((path) => path === note) ?? notes[0]
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
    <div className="stream pad worker-tab" tabIndex={0} role="tabpanel" aria-label="Notebook">
      {files === undefined && <Skeleton rows={6} />}
      {files !== undefined && open === undefined && (
        <Empty title={`${name} has noted nothing.`}>
          What it writes to <code>{folder}notebook.md</code> shows here, and what it learned from its nodes.
        </Empty>
      )}
      {open !== undefined && notes.length > 1 && (
        <Choice
          label="Which of its notes"
          options={notes.map((value) => ({ value, label: value }))}
          value={open}
          choose={(value) => go({ to: '.', search: { ...search, note: value } as never })}
        />
      )}
      {open !== undefined && <Preview key={open} run={run} path={`${folder}${open}`} name={open} />}
    </div>
  )
}

const rank = (path: string): number => (first.includes(path) ? first.indexOf(path) : first.length)
