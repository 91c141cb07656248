import { basename, join } from 'node:path'
import type { Agent } from '../../contract/agents.ts'
import { AppError } from '../../contract/errors.ts'
import { listFolder, readSmall } from '../../lib/files/files.ts'
import type { Project } from '../base/index.ts'

/** The heartbeat files of an agent, by name. Only an agent with a folder of its own has some. */
export const heartbeatsOf = (agent: Agent): string[] =>
  basename(agent.folder) === agent.name
    ? listFolder(join(agent.folder, 'heartbeats')).flatMap(({ name, folder }) =>
        !folder && name.endsWith('.md') ? [name.slice(0, -3)] : [],
      )
    : []

/** What an agent reads at each tick. Files of a project must really lie in it. */
export function readHeartbeat(agent: Agent, project: Project, name: string): string {
  const known = heartbeatsOf(agent).includes(name)
  const root = agent.source === 'project' ? { root: project.path } : {}
  const file = known ? readSmall(join(agent.folder, 'heartbeats', `${name}.md`), root) : undefined
  const text = file?.text.trim() ?? ''
  if (file?.problem === undefined && !file?.cut && text !== '')
    return text.replaceAll('$AGENT_FOLDER', () => agent.folder)
  const why = file?.problem ?? (file?.cut ? 'is too large' : file === undefined ? 'is not there' : 'is empty')
  throw new AppError('path.not_found', `The heartbeat "${name}" of ${agent.name} ${why}.`, {
    hint:
      agent.source === 'built-in'
        ? `${agent.name} comes with Troupe and has no folder of yours: make an agent with "troupe init", and write what is to be done at each tick into its heartbeats/<name>.md.`
        : `Write what is to be done at each tick into ${join(agent.folder, 'heartbeats', `${name}.md`)}.`,
  })
}
