import type { ReactNode } from 'react'
import type { ProjectInfo } from '../../../src/contract/projects.ts'
import { useProjects } from '../state/projects.ts'
import { useAddress } from './address.ts'

/** The project that a view is about: the one in the address, or the server's own. */
export function useHere(): { readonly path: string | undefined; readonly info: ProjectInfo | undefined } {
  const [{ project }] = useAddress()
  const projects = useProjects().value ?? []
  const info = projects.find(({ path, own }) => (project === undefined ? own : path === project))
  return { path: project, info }
}

/** Which project, at the beginning of the header; another can be chosen where there are several. */
export function ProjectCrumb(): ReactNode {
  const [, put] = useAddress()
  const { info } = useHere()
  const projects = useProjects().value ?? []
  if (info === undefined) return null
  return (
    <>
      {projects.length < 2 ? (
        <span className="crumb" title={info.path}>
          {info.name}
        </span>
      ) : (
        <select
          className="crumb-pick"
          aria-label="Project"
          title={info.path}
          value={info.path}
          onChange={(event) => put({ project: event.target.value })}
        >
          {projects.map(({ id, path, name }) => (
            <option key={id} value={path}>
              {name}
            </option>
          ))}
        </select>
      )}
      <span className="sep">/</span>
    </>
  )
}
