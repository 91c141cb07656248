import { AppError } from '../../contract/errors.ts'
import type { Receipt } from '../../contract/mail.ts'
import type { Core, Project } from '../base/index.ts'
import { agentFor, findAgent } from '../config/index.ts'
import { deliver } from '../mail/index.ts'
import { mustHaveMemory } from '../memory/index.ts'
import { type Maker, toolsInScope } from '../permissions/index.ts'
import { createSession } from '../sessions/index.ts'

/** The session has the memory tools and no others, whatever its agent has. */
const onlyMemory: Maker = {
  from: 'tidying memory',
  capabilities: { allow: ['memory.*'] },
  agents: { allow: [] },
  handed: true,
}

const WORDS = `Tidy your memory, with the memory tools.

1. Read MEMORY.md, and find your daily logs and topic files: index.md names them, memory_search finds the rest.
2. What in the daily logs will matter again (facts, decisions, preferences, lessons) goes into MEMORY.md or a topic file (knowledge/, experiences/, preferences/), in a line or two each, once.
3. Correct or drop what is wrong, outdated or said twice: replace the file with the hash that memory_read shows.
4. Logs older than two days whose content is kept elsewhere: replace them with empty content, which removes them.
5. Keep MEMORY.md short, and index.md a list of the files with a line on each.

Then say in a few sentences what you kept, moved and removed.`

/** Has an agent review its daily logs into long-term memory, in a session that ends with it: nobody talks on there by accident. */
export async function tidyMemory(core: Core, project: Project, name: string): Promise<Receipt> {
  mustHaveMemory(core, project, 'agent')
  const agent = await findAgent(core, project, name)
  const tools = [...toolsInScope(core.tools.values(), agentFor(agent, 'task')).values()]
  if (!tools.some(({ capabilities }) => capabilities.includes('memory.write')))
    throw new AppError('memory.no_writer', `${name} has no tool to write memory, so it cannot tidy it.`, {
      hint: 'Allow memory_write in its agent.json (tools, capabilities), or edit the files: "troupe memory edit".',
    })
  const asked = { agent: name, mode: 'task', title: 'Tidy memory' } as const
  const session = await createSession(core, project, asked, { makers: [onlyMemory] })
  return deliver(core, { to: session.id, from: { kind: 'human' }, content: WORDS })
}
