import { realPath } from '../../lib/files/files.ts'
import type { Core, Project } from '../base/index.ts'
import { getSession } from '../sessions/index.ts'

/** Where the files lie that are meant: the workspace of a session, or the project's folder. */
export async function rootOf(core: Core, project: Project, session: string | undefined): Promise<string> {
  return realPath(session === undefined ? project.path : (await getSession(core, project.id, session)).workspace)
}
