import { findProjectPath } from '../../store/projects.ts'
import type { SessionRow } from '../../store/tables.ts'
import type { Core, Project } from '../base/index.ts'

export async function projectOfSession(core: Core, session: SessionRow): Promise<Project> {
  const path = await findProjectPath(core.store.read, session.project_id)
  return { id: session.project_id, path: path ?? session.workspace }
}
