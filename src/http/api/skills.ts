import { AppError } from '../../contract/errors.ts'
import type { Routes } from '../../contract/routes/index.ts'
import type { RunSkill } from '../../contract/skills.ts'
import type { Core, Project } from '../../core/base/index.ts'
import { agentFor, findAgent } from '../../core/config/index.ts'
import { deliver } from '../../core/mail/index.ts'
import { getSession } from '../../core/sessions/index.ts'
import { findSkill, type Skill, skillsOf } from '../../core/skills/index.ts'
import { getTask, giveTask } from '../../core/tasks/index.ts'
import { suggestion } from '../../lib/closest.ts'
import type { ServerParts } from '../context.ts'
import type { Handlers } from '../handlers.ts'
import { pageOf } from '../paging.ts'
import { projectOf } from './project.ts'

export const skillHandlers = ({ core }: ServerParts): Handlers<Routes['skills']> => ({
  'GET /api/skills': async ({ c, query }) => {
    const { skills } = await skillsFor(core, projectOf(core, c), query.agent)
    return pageOf(
      skills.map(({ body: _, ...info }) => info),
      query,
    )
  },
  'GET /api/skills/problems': async ({ c, query }) =>
    pageOf((await skillsFor(core, projectOf(core, c), query.agent)).problems, query),
  'GET /api/skills/{name}': async ({ c, params: { name }, query: { agent } }) => {
    const { body, ...info } = mustHave((await skillsFor(core, projectOf(core, c), agent)).skills, name, agent)
    return { ...info, text: body }
  },
  'POST /api/skills/{name}/run': ({ c, params: { name }, body }) => run(core, projectOf(core, c), name, body),
})

async function skillsFor(core: Core, project: Project, name: string | undefined) {
  if (name === undefined) return skillsOf(core, { project })
  const agent = await findAgent(core, project, name)
  return skillsOf(core, { project, agent, definition: agentFor(agent, 'chat') })
}

async function run(core: Core, project: Project, name: string, body: RunSkill) {
  const { agent, session: ref, arguments: words = '', clientId } = body
  const content = `/${name} ${words}`.trim()
  if (ref !== undefined) {
    const session = await getSession(core, project.id, ref)
    mustHave((await skillsFor(core, project, session.agent)).skills, name, session.agent)
    return { receipt: await deliver(core, { to: session.id, from: { kind: 'human' }, content, clientId }) }
  }
  mustHave((await skillsFor(core, project, agent)).skills, name, agent)
  const made = await giveTask(core, project, { agent: agent!, input: { prompt: content }, clientId })
  return { task: await getTask(core.store.read, 'human', made.task.id) }
}

function mustHave(skills: readonly Skill[], name: string, agent: string | undefined): Skill {
  const found = findSkill(skills, name)
  if (found) return found
  const names = skills.map((skill) => skill.name)
  throw new AppError('skill.not_found', `${agent ?? 'This project'} has no skill "${name}".`, {
    hint:
      names.length > 0 ? suggestion(name, names, 'There are') : 'There are none: troupe skills new <name> makes one.',
  })
}
