import '../../styles/files.css'
import '../../styles/memory.css'
import { type ReactNode, useState } from 'react'
import { Age } from '../../parts/figures.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Button, Empty, Failed, Skeleton } from '../../parts/small.tsx'
import { useAddress } from '../../shell/address.ts'
import { ProjectCrumb, useHere } from '../../shell/here.tsx'
import { useKeys } from '../../shell/keys.ts'
import { Page } from '../../shell/page.tsx'
import { type MemoryEntry, refOf, refText, useMemoryFiles } from '../../state/memory.ts'
import { TrustNotice } from '../settings/trust.tsx'
import { MemoryEditor } from './editor.tsx'
import { NewMemory } from './new-memory.tsx'
import { Found } from './search.tsx'

/** What outlives a session: of the person, of the project, of each agent. */
export function Memory(): ReactNode {
  const [{ file, q = '' }, put] = useAddress()
  const { path } = useHere()
  const { value, failure, refresh } = useMemoryFiles(path)
  const [making, setMaking] = useState(false)
  const chosen = file === undefined ? undefined : refOf(file)
  useKeys({ '/': () => document.getElementById('memory-search')?.focus(), n: () => setMaking(true) })
  return (
    <Page
      title="Memory"
      crumbs={<ProjectCrumb />}
      className="two-page"
      aside={
        <Button icon="plus" keys="n" onClick={() => setMaking(true)}>
          New file
        </Button>
      }
    >
      <div className={`two${chosen === undefined ? '' : ' chosen'}`}>
        <nav className="two-list" aria-label="Memory">
          <label className="field quiet memory-find">
            <Icon name="search" small />
            <input
              id="memory-search"
              className="grow bare"
              type="search"
              aria-label="Search the memory"
              placeholder="Search the memory"
              maxLength={1000}
              value={q}
              onChange={(event) => put({ q: event.target.value }, { replace: true })}
            />
            <span className="kbd bare">/</span>
          </label>
          <TrustNotice />
          {failure && <Failed failure={failure} retry={refresh} />}
          {value === undefined && !failure && <Skeleton rows={6} />}
          {q.trim() !== '' ? <Found query={q.trim()} /> : value && <Groups files={value} chosen={file} />}
        </nav>
        <section className="two-view" aria-label={chosen?.path ?? 'Memory file'}>
          {chosen === undefined ? (
            <div className="pad-view">
              <Empty title={value?.length === 0 ? 'Nothing is remembered yet.' : 'Choose a file.'}>
                Agents write here what must last, and you can, too.
              </Empty>
            </div>
          ) : (
            <MemoryEditor key={`${path} ${file}`} project={path} file={chosen} />
          )}
        </section>
      </div>
      {making && <NewMemory close={() => setMaking(false)} />}
    </Page>
  )
}

const names = { user: 'Yours, in all projects', project: 'The project' } as const

function Groups({ files, chosen }: { files: readonly MemoryEntry[]; chosen: string | undefined }): ReactNode {
  const [, put] = useAddress()
  const groups = [...Map.groupBy(files, ({ scope, agent }) => (scope === 'agent' ? (agent ?? '') : names[scope]))]
  return groups.map(([name, own]) => (
    <section key={name} aria-label={name}>
      <h2 className="side-h">{name}</h2>
      {own.map((file) => {
        const text = refText(file)
        return (
          <button
            key={text}
            type="button"
            className={`nav${text === chosen ? ' on' : ''}`}
            {...(text === chosen && { 'aria-current': 'true' as const })}
            onClick={() => put({ file: text })}
          >
            <Icon name="memory" small />
            <span className="cut">{file.path}</span>
            <span className="age">
              <Age since={file.changedAt} />
            </span>
          </button>
        )
      })}
    </section>
  ))
}
