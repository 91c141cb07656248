import { isProblem } from '../../contract/errors.ts'
import type { Mode } from '../../contract/sessions.ts'
import { findSession } from '../../store/sessions.ts'
import type { Core, Project } from '../base/index.ts'
import { agentFor, findAgent } from '../config/index.ts'
import { projectOfSession } from '../sessions/index.ts'
import { checkInvocation, invocationHint, invocationIn, type Skill, skillsOf, speaksForAgent } from '../skills/index.ts'
import type { MailDraft } from './draft.ts'

/**
 * A message that begins with `/name` is looked up on its receiver before it is stored. What an agent may not start is
 * refused; a person is told what was taken as text.
 */
export async function lookAtInvocation(
  core: Core,
  { to, from, content }: Pick<MailDraft, 'to' | 'from' | 'content'>,
): Promise<string | undefined> {
  if (from.kind === 'system' || invocationIn(content) === undefined) return undefined
  const session = await findSession(core.store.read, to)
  if (session === undefined) return undefined
  const project = await projectOfSession(core, session)
  const skills = await skillsOfReceiver(core, project, session)
  if (skills === undefined) return undefined
  if (!speaksForAgent(from)) return invocationHint(skills, content, session.agent)
  checkInvocation(skills, content, session.agent)
  return undefined
}

/** The same for mail of an agent before there is a session for it: what would be refused makes none. */
export async function checkFirstMail(core: Core, project: Project, agent: string, content = ''): Promise<void> {
  if (invocationIn(content) === undefined) return
  const skills = await skillsOfReceiver(core, project, { agent, mode: 'chat' })
  if (skills) checkInvocation(skills, content, agent)
}

/** Undefined where the receiver cannot be used as its files are now: its turn will say so. */
export async function skillsOfReceiver(
  core: Core,
  project: Project,
  { agent: name, mode }: { readonly agent: string; readonly mode: Mode },
): Promise<readonly Skill[] | undefined> {
  try {
    const agent = await findAgent(core, project, name)
    return skillsOf(core, { project, agent, definition: agentFor(agent, mode) }).skills
  } catch (error) {
    if (isProblem(error)) return undefined
    throw error
  }
}
