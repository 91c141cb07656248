import { type ReactNode, useState } from 'react'
import type { FolderView } from '../../../../src/contract/files.ts'
import { Icon } from '../../parts/icon.tsx'
import { Failed, Skeleton } from '../../parts/small.tsx'
import { useAddress } from '../../shell/address.ts'
import { type FilePlace, useFolder } from '../../state/files.ts'

type Entry = FolderView['items'][number]

/** Folders open in place; what leads to the chosen file is open from the start. */
export function Tree({ place }: { place: FilePlace }): ReactNode {
  const [{ path = '' }] = useAddress()
  const [open, setOpen] = useState<ReadonlySet<string>>(() => new Set(above(path)))
  const toggle = (folder: string) => setOpen((before) => before.symmetricDifference(new Set([folder])))
  return <Folder place={place} path="." depth={0} open={open} toggle={toggle} />
}

/** `a/b/c.md` → `a`, `a/b` */
const above = (path: string): string[] =>
  path
    .split('/')
    .slice(0, -1)
    .map((_, at, parts) => parts.slice(0, at + 1).join('/'))

interface FolderProps {
  readonly place: FilePlace
  readonly path: string
  readonly depth: number
  readonly open: ReadonlySet<string>
  readonly toggle: (folder: string) => void
}

function Folder({ place, path, depth, open, toggle }: FolderProps): ReactNode {
  const { value, failure, refresh } = useFolder(place, path)
  if (failure) return <Failed failure={failure} retry={refresh} />
  if (value === undefined) return depth === 0 ? <Skeleton rows={8} /> : null
  const items = value.items.toSorted(
    (a, b) => Number(b.kind === 'folder') - Number(a.kind === 'folder') || a.name.localeCompare(b.name),
  )
  return (
    <>
      {items.length === 0 && (
        <p className="mute small" style={indent(depth)}>
          empty
        </p>
      )}
      {items.map((entry) => (
        <div key={entry.path}>
          <Row entry={entry} depth={depth} open={open.has(entry.path)} toggle={toggle} />
          {entry.kind === 'folder' && open.has(entry.path) && (
            <Folder place={place} path={entry.path} depth={depth + 1} open={open} toggle={toggle} />
          )}
        </div>
      ))}
      {value.more && (
        <p className="mute small" style={indent(depth)}>
          There are more than can be listed here.
        </p>
      )}
    </>
  )
}

function Row({
  entry,
  depth,
  open,
  toggle,
}: {
  entry: Entry
  depth: number
  open: boolean
  toggle: (folder: string) => void
}): ReactNode {
  const [{ path }, put] = useAddress()
  const { kind, name } = entry
  const folder = kind === 'folder'
  const closed = entry.protected || kind === 'link' || kind === 'other'
  const why = entry.protected
    ? 'It may hold keys, or says what agents may do: it is named here and not opened.'
    : kind === 'link'
      ? 'A link; it is not followed.'
      : undefined
  return (
    <button
      type="button"
      className={`nav${path === entry.path ? ' on' : ''}`}
      style={indent(depth)}
      disabled={closed}
      title={why ?? entry.path}
      {...(folder && { 'aria-expanded': open })}
      {...(path === entry.path && { 'aria-current': 'true' as const })}
      onClick={() => (folder ? toggle(entry.path) : put({ path: entry.path, raw: undefined }))}
    >
      {folder ? <Icon name={open ? 'down' : 'right'} small /> : <span className="no-glyph" />}
      <Icon name={folder ? 'folder' : closed ? 'lock' : 'file'} small />
      <span className="cut">{name}</span>
      {why && <span className="age">{entry.protected ? 'protected' : 'link'}</span>}
    </button>
  )
}

const indent = (depth: number) => ({ paddingLeft: 8 + depth * 16 })
