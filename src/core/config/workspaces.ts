import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import type { AgentFile } from '../../contract/agents.ts'
import { AppError } from '../../contract/errors.ts'
import { isInside } from '../../lib/files/files.ts'
import { isProtected } from '../../lib/files/paths.ts'
import type { Core, Project } from '../base/index.ts'

type Home = Pick<Core, 'home'>

/** The folder a person names for a session. */
export function folderInside(core: Home, project: Project, folder: string): string {
  const real = realOf(core, project.path, folder)
  if (isInside(real, project.path)) return real
  throw new AppError('path.outside', `workspace: "${folder}" is outside the project.`, {
    hint: 'Use a folder inside the project, or work in that project.',
  })
}

/** The folder that an agent's own definition names, for sessions that have no parent's folder to work in. */
export function ownFolder(core: Home, project: Project, { workspace }: AgentFile): string {
  const path = typeof workspace === 'object' ? workspace.path : undefined
  return path === undefined ? project.path : realOf(core, project.path, path)
}

/** An agent's message must not open a folder outside the project, where its writer could not work. */
export function ownFolderInside(core: Home, project: Project, definition: AgentFile, name: string): string {
  const folder = ownFolder(core, project, definition)
  if (isInside(folder, project.path)) return folder
  throw new AppError('path.outside', `${name} works outside the project, so only a person can begin a session of it.`, {
    hint: 'Ask the person to write to it first, or write to another agent.',
  })
}

/** Where a folder really is. Nobody works in a protected one: what an agent writes in its own folder is not asked for. */
export function realOf({ home }: Home, root: string, folder: string): string {
  const real = existing(resolve(root, folder), folder)
  const protects = isProtected(root, home, real)
  if (protects === undefined) return real
  throw new AppError('path.outside', `workspace: "${folder}" lies in ${protects}, where no agent works.`, {
    hint: 'Use an ordinary folder of the project.',
  })
}

function existing(path: string, said: string): string {
  try {
    return realpathSync(path)
  } catch {
    throw new AppError('path.not_found', `workspace: the folder "${said}" does not exist.`)
  }
}
