import { join, relative } from 'node:path'
import { listFolder, readSmall, sha256 } from '../../lib/files.ts'
import { readJsonc } from '../../lib/jsonc.ts'
import { digestTree } from '../../lib/trees.ts'
import { actingFields } from '../agents/acting.ts'
import { definitionNames, readDefinition } from '../agents/read.ts'
import type { Project } from '../core.ts'
import { isHomeOnly } from '../settings/layers.ts'

/** One thing in a project that grants, reaches out or runs: where it is, what it is, and what it says now. */
export interface ActingPart {
  readonly file: string
  readonly what: string
  readonly digest: string
  /** It cannot be vouched for. */
  readonly problem?: string
}

/** Everything in a project that has no effect before the person trusts it. New kinds of such things are added here. */
export function actingParts(project: Project): ActingPart[] {
  const inner = join(project.path, '.troupe')
  const agents = join(inner, 'agents')
  return [
    ...settingsParts(project, join(inner, 'settings.json')),
    ...settingsParts(project, join(inner, 'settings.local.json')),
    ...definitionNames(agents).flatMap((name) => agentParts(project, agents, name)),
    ...folderParts(project, join(inner, 'tools'), 'custom tool'),
    ...listFolder(agents)
      .filter((entry) => entry.folder)
      .flatMap(({ name }) => [
        ...folderParts(project, join(agents, name, 'tools'), 'custom tool'),
        ...folderParts(project, join(agents, name, 'heartbeats'), 'heartbeat'),
      ]),
    ...mcpParts(project),
  ]
}

/** Anything a settings file can say acts, save for what only narrows, chooses a model, or is refused from projects anyway. */
function settingsParts(project: Project, path: string): ActingPart[] {
  return Object.entries(readObject(project, path)).flatMap(([key, value]) => {
    if (['$schema', 'defaultModel', 'smallModel'].includes(key) || isHomeOnly(key)) return []
    if (!['permissions', 'providers', 'mcpServers'].includes(key)) return [part(project, path, key, value)]
    return Object.entries(asObject(value))
      .filter(([name]) => key !== 'permissions' || (name !== 'deny' && name !== 'ask'))
      .map(([name, inner]) => part(project, path, `${key}.${name}`, inner))
  })
}

function agentParts(project: Project, agents: string, name: string): ActingPart[] {
  const definition = readDefinition(agents, name, project.path)
  if (definition === undefined) return []
  return actingFields(definition.fields).map(({ path, value }) =>
    part(project, definition.file, path.join('.'), value),
  )
}

function folderParts(project: Project, folder: string, kind: string): ActingPart[] {
  return listFolder(folder).flatMap(({ name }) => {
    const path = join(folder, name)
    const tree = digestTree(path)
    if (tree === undefined) return []
    const what = `${kind} "${name}"`
    return [{ file: relative(project.path, path), what, digest: tree.digest, ...(tree.problem && { problem: tree.problem }) }]
  })
}

function mcpParts(project: Project): ActingPart[] {
  const path = join(project.path, '.mcp.json')
  const file = readSmall(path, { root: project.path })
  if (file === undefined) return []
  const servers = Object.entries(asObject(readObject(project, path).mcpServers))
  const named = servers.map(([name, server]) => part(project, path, `MCP server "${name}"`, server))
  return named.length > 0 ? named : [part(project, path, 'MCP servers', file.hash)]
}

const part = (project: Project, path: string, what: string, value: unknown): ActingPart => ({
  file: relative(project.path, path),
  what,
  digest: sha256(JSON.stringify(value) ?? ''),
})

function readObject(project: Project, path: string): Record<string, unknown> {
  const file = readSmall(path, { root: project.path })
  return file ? asObject(readJsonc(file).value) : {}
}

const asObject = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
