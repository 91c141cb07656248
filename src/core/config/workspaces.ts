import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import type { AgentFile } from '../../contract/agents.ts'
import { AppError } from '../../contract/errors.ts'
import { isInside } from '../../lib/files/files.ts'
import type { Project } from '../base/index.ts'

/** The folder a person names for a session. */
export function folderInside(project: Project, folder: string): string {
  const real = realOf(resolve(project.path, folder), folder)
  if (isInside(real, project.path)) return real
  throw new AppError('path.outside', `workspace: "${folder}" is outside the project.`, {
    hint: 'Use a folder inside the project, or work in that project.',
  })
}

/** The folder that an agent's own definition names, for sessions that have no parent's folder to work in. */
export function ownFolder(project: Project, { workspace }: AgentFile): string {
  const path = typeof workspace === 'object' ? workspace.path : undefined
  return path === undefined ? project.path : realOf(resolve(project.path, path), path)
}

/** An agent's message must not open a folder outside the project, where its writer could not work. */
export function ownFolderInside(project: Project, definition: AgentFile, name: string): string {
  const folder = ownFolder(project, definition)
  if (isInside(folder, project.path)) return folder
  throw new AppError('path.outside', `${name} works outside the project, so only a person can begin a session of it.`, {
    hint: 'Ask the person to write to it first, or write to another agent.',
  })
}

export function realOf(path: string, said: string): string {
  try {
    return realpathSync(path)
  } catch {
    throw new AppError('path.not_found', `workspace: the folder "${said}" does not exist.`)
  }
}
