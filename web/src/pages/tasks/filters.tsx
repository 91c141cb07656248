import type { ReactNode } from 'react'
import { Icon } from '../../parts/icon.tsx'
import { Kbd } from '../../parts/small.tsx'
import { useAddress } from '../../state/address.ts'
import { useProjects } from '../../state/projects.ts'
import { standingOfTask } from '../../state/standing.ts'
import { taskStatuses } from '../../state/tasks.ts'

/** What narrows the list; all of it is in the address. */
export function Filters({ children }: { children: ReactNode }): ReactNode {
  const [{ project = '*', status = '', agent = '', tag = '', q = '' }, change] = useAddress()
  const projects = useProjects().value ?? []
  return (
    <div className="list-filters">
      <label className="field quiet list-find">
        <Icon name="search" small />
        <input
          aria-label="Filter tasks by words"
          placeholder="Filter"
          value={q}
          onChange={(event) => change({ q: event.target.value || undefined })}
          onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
        />
        <Kbd>/</Kbd>
      </label>
      <select
        className="list-f"
        aria-label="State"
        value={status}
        onChange={(event) => change({ status: event.target.value || undefined })}
      >
        <option value="">any state</option>
        {taskStatuses.map((one) => (
          <option key={one} value={one}>
            {standingOfTask({ status: one }).word}
          </option>
        ))}
      </select>
      <select
        className="list-f"
        aria-label="Project"
        value={project}
        onChange={(event) => change({ project: event.target.value === '*' ? undefined : event.target.value })}
      >
        <option value="*">all projects</option>
        {projects.map(({ id, name, path }) => (
          <option key={id} value={path}>
            {name}
          </option>
        ))}
      </select>
      {[['agent', agent] as const, ['tag', tag] as const].map(
        ([name, value]) =>
          value !== '' && (
            <button key={name} type="button" className="list-f" onClick={() => change({ [name]: undefined })}>
              {name} is <b className="med">{value}</b>
              <Icon name="x" small />
            </button>
          ),
      )}
      <span className="grow" />
      {children}
    </div>
  )
}
