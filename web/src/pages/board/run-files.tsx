import type { ReactNode } from 'react'
import type { Run, RunFile } from '../../../../src/contract/runs.ts'
import { Icon } from '../../parts/icon.tsx'
import { Button, Empty, Failed, Skeleton } from '../../parts/small.tsx'
import { useAddress } from '../../shell/address.ts'
import { useKeys } from '../../shell/keys.ts'
import { useBoard } from '../../state/runs.ts'
import { bytes, useFilesOfRun } from './node-files.tsx'
import { Preview } from './preview.tsx'

/** The files of a run: what was published first, then what is in the making, then the run's own record. */
export function RunFiles({ run }: { run: Run }): ReactNode {
  const { value, failure, refresh } = useFilesOfRun(run.id)
  const titles = new Map((useBoard(run.id).value?.nodes ?? []).map(({ id, title }) => [id as string, title]))
  const [{ file }, put] = useAddress()
  const groups = grouped(value?.items ?? [], titles)
  const order = groups.flatMap(({ files }) => files)
  const open = file ?? (matchMedia('(min-width: 768px)').matches ? order[0]?.path : undefined)
  const back = () => put({ file: undefined })
  const step = (by: number) => () => {
    const next = order[Math.max(0, order.findIndex(({ path }) => path === open) + by)]
    if (next) put({ file: next.path }, { replace: true })
  }
  useKeys({ j: step(1), k: step(-1), ...(file !== undefined && { Escape: back }) })
  if (value === undefined)
    return <div className="pad">{failure ? <Failed failure={failure} retry={refresh} /> : <Skeleton rows={6} />}</div>
  if (order.length === 0)
    return (
      <div className="pad">
        <Empty title="No files yet">What the workers write and publish is here.</Empty>
      </div>
    )
  return (
    <div className="split run-files">
      <nav className="file-list" aria-label="Files of the run">
        {groups.map(({ name, files }) => (
          <Fold key={name} name={name} open={name !== RECORD || files.some(({ path }) => path === open)}>
            {files.map(({ path, label, size }) => (
              <button
                key={path}
                type="button"
                className={`nav${path === open ? ' on' : ''}`}
                aria-current={path === open}
                title={path}
                onClick={() => put({ file: path }, { replace: true })}
              >
                <Icon name="file" small />
                <span className="cut grow">{label}</span>
                <span className="age">{bytes(size)}</span>
              </button>
            ))}
          </Fold>
        ))}
        {value.more && <p className="small mute more-files">There are more files than are listed here.</p>}
      </nav>
      {open && (
        <div className="file-view">
          <div className="sheet-back">
            <Button look="ghost" icon="left" onClick={back}>
              Files
            </Button>
          </div>
          <Preview
            key={open}
            run={run.id}
            path={open}
            name={open.replace(/^nodes\/[^/]+\/(published|scratch)\//, '')}
          />
        </div>
      )}
    </div>
  )
}

/** What was made is open; the record of the run is there for who looks for it. */
function Fold({ name, open, children }: { name: string; open: boolean; children: ReactNode }): ReactNode {
  return (
    <details open={open}>
      <summary className="side-h">
        <Icon name="right" small />
        <span className="cut" title={name}>
          {name}
        </span>
      </summary>
      {children}
    </details>
  )
}

interface Listed extends RunFile {
  readonly label: string
}

function grouped(files: readonly RunFile[], titles: ReadonlyMap<string, string>) {
  const groups = new Map<string, Listed[]>()
  for (const file of files) {
    const [, node, kind, rest] = /^nodes\/([^/]+)\/(published|scratch)\/(.+)$/.exec(file.path) ?? []
    const title = titles.get(node ?? '') ?? node
    const group = kind === undefined ? RECORD : `${title}${kind === 'scratch' ? ' (in the making)' : ''}`
    groups.set(group, [...(groups.get(group) ?? []), { ...file, label: rest ?? ownName(file.path, titles) }])
  }
  const last = (name: string) => (name === RECORD ? 2 : name.endsWith('(in the making)') ? 1 : 0)
  return [...groups].map(([name, own]) => ({ name, files: own })).toSorted((a, b) => last(a.name) - last(b.name))
}

const RECORD = 'Record of the run'

const ownName = (path: string, titles: ReadonlyMap<string, string>): string =>
  path.replace(/^nodes\/([^/]+)\//, (_, id: string) => `${titles.get(id) ?? id}: `).replace(/^workers\//, '')
