import { basename } from 'node:path'
import type { ProjectInfo } from '../../contract/projects.ts'
import { statOf } from '../../lib/files/files.ts'
import { selectProjects } from '../../store/projects.ts'
import type { Db } from '../../store/tables.ts'
import type { Core } from '../base/index.ts'

/** Every folder in which a session was begun, by name, behind the server's own. */
export async function listProjects(core: Core, db: Db): Promise<ProjectInfo[]> {
  const rows = await selectProjects(db)
  const others = rows.filter(({ id }) => id !== core.project.id).map(({ id, path }) => infoOf(id, path, false))
  return [infoOf(core.project.id, core.project.path, true), ...others.sort((a, b) => a.name.localeCompare(b.name))]
}

const infoOf = (id: string, path: string, own: boolean): ProjectInfo => ({
  id,
  path,
  name: basename(path) || path,
  own,
  gone: statOf(path)?.isDirectory() !== true,
})
