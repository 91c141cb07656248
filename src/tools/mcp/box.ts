import { existsSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import type { Core, ToolUser } from '../../core/base/index.ts'
import { effectiveSettings } from '../../core/config/index.ts'
import { boxOf, permissionSources, sandboxFor, sandboxState } from '../../core/permissions/index.ts'
import { realPath, sha256 } from '../../lib/files/files.ts'
import { noGit } from '../../lib/sandbox/box.ts'
import type { Box } from '../../lib/sandbox/sandbox.ts'

/** How a server is shut in that is asked only what it has: like a call of that agent in the project's folder. */
export async function boxFor(core: Core, { project, agent, definition, sessionId }: ToolUser): Promise<Box> {
  const { settings } = await effectiveSettings(core, project)
  const rules = definition?.permissions ?? agent?.definition.permissions ?? {}
  const shut = {
    workspace: realPath(project.path),
    projectPath: project.path,
    home: core.home,
    userHome: core.env.HOME,
    env: core.env,
    sessionId: sessionId ?? '',
    sources: permissionSources(core, project),
    own: { from: agent ? `agent ${agent.name}` : 'no agent', rules },
    makers: [],
    granted: [],
    sandbox: () => sandboxState(core, settings),
  }
  return boxOf(sandboxFor(core, shut, { reach: [], git: noGit }))
}

const MODULES = '/node_modules/'

/** The packages of the files that a command line names: a program is seen wherever it lies, also among temporary files. */
export const packagesOf = (words: readonly string[]): string[] => [
  ...new Set(words.filter((word) => isAbsolute(word) && isFile(word)).map((word) => packageOf(realPath(word)))),
]

function packageOf(file: string): string {
  const at = file.indexOf(MODULES)
  if (at > 0) return file.slice(0, at)
  for (let folder = dirname(file); folder !== '/'; folder = dirname(folder))
    if (existsSync(join(folder, 'package.json'))) return folder
  return dirname(file)
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false

/** Whoever is shut in alike can share a program. */
export function boxKey({ workspace, mode, hidden, readOnly, hosts }: Box): string {
  return sha256(JSON.stringify([workspace, mode, hidden, readOnly, hosts]))
}
