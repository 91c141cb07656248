import { existsSync } from 'node:fs'
import type { AgentFile } from '../../contract/agents.ts'
import { isProblem } from '../../contract/errors.ts'
import type { SessionRow } from '../../store/tables.ts'
import type { Core } from '../base/index.ts'
import { describeSession } from './details.ts'
import { projectOfSession } from './project.ts'

/** Where a session can run. */
export type Place = Pick<SessionRow, 'host' | 'moves'>

/** A session that works in a folder of this machine stays here. One process alone with its database needs no host. */
export const placeFor = ({ store, host }: Core, { workspace }: AgentFile): Place => ({
  host: store.alone ? null : host,
  moves: typeof workspace === 'object' && workspace.shared ? 1 : 0,
})

/** The session was made on another host and is to go on. To stop it, no folder and no model is needed. */
export const isForeign = ({ host }: Core, session: SessionRow): boolean =>
  session.host !== null && session.host !== host && session.signal !== 'cancel' && session.signal !== 'close'

/** Why this host could not run the session with the files and settings that it has; undefined where it could. */
export async function whyNotHere(core: Core, session: SessionRow): Promise<string | undefined> {
  if (!existsSync(session.workspace)) return `There is no folder ${session.workspace} here.`
  try {
    const project = await projectOfSession(core, session)
    const { runtime, model, definition } = await describeSession(core, session, project)
    const found = await runtime.models?.candidates(project, [model, ...(definition.fallbackModels ?? [])])
    return found?.usable.length === 0 ? (found.left[0]?.reason ?? `The model ${model} cannot be used.`) : undefined
  } catch (error) {
    if (isProblem(error)) return error.message
    throw error
  }
}
