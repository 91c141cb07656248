import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { RunFile } from '../../../../src/contract/runs.ts'
import { type Live, type Resource, stale, useLive } from '../../live/resource.ts'
import { server } from '../../live/server.ts'
import { Icon } from '../../parts/icon.tsx'
import { Skeleton } from '../../parts/small.tsx'

export interface FilesOfRun {
  readonly items: readonly RunFile[]
  readonly more: boolean
}

const filesResource = (run: string): Resource<FilesOfRun> => ({
  key: `files of ${run}`,
  read: () => server.snapshot('GET /api/runs/{id}/files', { params: { id: run } }),
  interest: { run, types: ['tool.ended', 'node.published', 'node.created', 'turn.ended'] },
  fold: (files, { type, data }) => (type === 'tool.ended' && !writes.has(String(data.name)) ? files : stale),
})

/** The tools that can leave something in a folder. */
const writes: ReadonlySet<string> = new Set(['write_file', 'edit_file', 'bash', 'publish', 'create_work_node'])

export const useFilesOfRun = (run: string): Live<FilesOfRun> => useLive(filesResource(run))

/** Those below one folder of the run. */
export const useRunFiles = (run: string, below: string): readonly RunFile[] | undefined =>
  useFilesOfRun(run).value?.items.filter(({ path }) => path.startsWith(below))

/** The files of one folder of a node; each opens under Files. */
export function NodeFiles({
  run,
  folder,
  files,
}: {
  run: string
  folder: string
  files: readonly RunFile[] | undefined
}): ReactNode {
  if (files === undefined) return <Skeleton rows={2} />
  const own = files.filter(({ path }) => path.startsWith(folder))
  if (own.length === 0)
    return (
      <p className="sec soft">
        {folder.endsWith('/scratch/')
          ? 'Its scratch folder is empty. What the worker writes before it publishes is here.'
          : 'Nothing is published yet.'}
      </p>
    )
  return (
    <div className="sec">
      {own.map(({ path, size }) => (
        <Link
          key={path}
          className="fileline"
          to="/runs/$run/$tab"
          params={{ run, tab: 'files' }}
          search={{ file: path }}
          title={path}
        >
          <Icon name="file" small />
          <span className="cut grow">{path.slice(folder.length)}</span>
          <span className="tiny mute num">{bytes(size)}</span>
        </Link>
      ))}
    </div>
  )
}

/** `840 B`, `12 KB`, `3.4 MB`. */
export function bytes(size: number): string {
  if (size < 1000) return `${size} B`
  return size < 1_000_000 ? `${Math.round(size / 1000)} KB` : `${(size / 1_000_000).toFixed(1)} MB`
}
