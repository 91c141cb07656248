import { existsSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { Cli } from './cli.ts'
import { connect } from './connect.ts'
import { exits, Failure, usage } from './failure.ts'

/** For whom something is made. */
export interface Where {
  readonly agent?: string
  readonly global?: boolean
}

/** The folder of tools or skills of the project, of one agent, or of the person. */
export async function folderFor(cli: Cli, { agent: name, global }: Where, what: 'tools' | 'skills'): Promise<string> {
  if (name !== undefined && global) throw usage('Give --agent or --global, not both.')
  if (global) return join(cli.home, what)
  if (name === undefined) return join(projectOf(cli), '.troupe', what)
  const agent = await (await connect(cli)).call('GET /api/agents/{name}', { params: { name } })
  if (agent.source === 'built-in')
    throw new Failure(exits.failed, `${name} comes with Troupe and has no folder of yours.`, {
      hint: 'Use --global, or an agent of yours.',
    })
  if (basename(agent.folder) !== name)
    throw new Failure(exits.failed, `${name} is a single file and has no folder for ${what}.`, {
      hint: `Make it a folder: ${name}/agent.json and ${name}/AGENT.md.`,
    })
  return join(agent.folder, what)
}

/** The nearest folder above with .troupe, as the server finds it; else the folder itself. */
function projectOf({ project, home }: Cli): string {
  for (let folder = resolve(project); folder !== dirname(folder); folder = dirname(folder))
    if (existsSync(join(folder, '.troupe')) && join(folder, '.troupe') !== home) return folder
  return project
}
