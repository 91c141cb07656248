import type { Agent, AgentFile } from '../../contract/agents.ts'
import type { SessionId } from '../../contract/ids.ts'
import { textOf } from '../../contract/messages.ts'
import { findSession } from '../../store/sessions.ts'
import type { SessionRow } from '../../store/tables.ts'
import type { Core, Project } from '../base/index.ts'
import type { NoteOn } from '../mail/index.ts'
import { invocationIn, invocationNote, type Skill, skillsOf, skillsSection, speaksForAgent } from '../skills/index.ts'
import type { Offer } from '../tools/index.ts'

interface SkillUser {
  readonly project: Project
  readonly agent: Agent
  readonly definition: AgentFile
  readonly offer: Offer
}

/** What the prompt says of skills. Only an agent that has the tool for them is told what it could load. */
export function skillsToKnow(core: Core, { project, agent, definition, offer }: SkillUser): string {
  const canLoad = [...offer.loaded, ...offer.listed].some(({ tool }) => tool.name === 'skill')
  const { skills } = skillsOf(core, { project, agent, definition })
  const text = skillsSection({ skills, choice: definition.skills, canLoad })
  return text.replaceAll('$AGENT_FOLDER', () => agent.folder)
}

/** The text of the skill that a mail starts; it enters the log in the transaction that takes the mail. */
export const noteOnSkill = (
  { setup: { skills, agent } }: { readonly setup: { readonly skills: readonly Skill[]; readonly agent: Agent } },
  { id, task_id }: SessionRow,
  mail: Parameters<NoteOn>[0],
): string | undefined => invocationNote(skills, mail, { sessionId: id, taskId: task_id, agent })

/** Whether a person's message in the open turn begins with `/name`. */
export async function startedByPerson(core: Core, sessionId: SessionId, name: string): Promise<boolean> {
  const session = await findSession(core.store.read, sessionId)
  if (session === undefined || session.turn_id === null) return false
  const { messages } = await core.histories.load(core, session)
  return messages.some(
    ({ role, from, turnId, parts }) =>
      role === 'user' &&
      turnId === session.turn_id &&
      from !== undefined &&
      from.kind !== 'system' &&
      !speaksForAgent(from) &&
      invocationIn(textOf(parts))?.name === name,
  )
}
