import { join, relative } from 'node:path'
import {
  isInside,
  listFolder,
  MAX_ENTRIES,
  readSmall,
  realPath,
  type SmallFile,
  sha256,
  statOf,
} from '../../../lib/files/files.ts'
import { digestTree } from '../../../lib/files/trees.ts'
import { asObject } from '../../../lib/json.ts'
import { readJsonc } from '../../../lib/jsonc.ts'
import type { Project } from '../../base/index.ts'
import { actingFields, restrictionsIn } from '../agents/acting.ts'
import { fieldsOf } from '../agents/read.ts'
import { programsIn } from '../hooks/programs.ts'
import { isHomeOnly } from '../settings/layers.ts'

/** One thing in a project that grants, reaches out or runs: where it is, what it is, and what it says now. */
export interface ActingPart {
  readonly file: string
  readonly what: string
  readonly digest: string
  /** It only forbids, so it has its effect without trust. What was trusted together with it is not trusted without it. */
  readonly narrows?: boolean | undefined
  /** Why a later change of it could go unseen, so that it cannot be trusted. */
  readonly problem?: string
}

/**
 * Everything in a project that has no effect before the person trusts it, and what narrows it. New kinds of such things
 * are added here.
 */
export function actingParts(project: Project): ActingPart[] {
  const inner = join(project.path, '.troupe')
  const agents = join(inner, 'agents')
  return [
    ...fileParts(project, join(inner, 'settings.json'), settingsParts),
    ...fileParts(project, join(inner, 'settings.local.json'), settingsParts),
    ...folderParts(project, join(inner, 'tools'), 'custom tool'),
    ...folderParts(project, join(inner, 'hooks'), 'program of hooks'),
    ...overfull(project, agents),
    ...listFolder(agents).flatMap(({ name, folder }) => {
      const path = join(agents, name)
      if (!folder) return name.endsWith('.md') ? fileParts(project, path, agentParts) : []
      return [
        ...fileParts(project, join(path, 'agent.json'), agentParts),
        ...folderParts(project, join(path, 'tools'), 'custom tool'),
        ...folderParts(project, join(path, 'heartbeats'), 'heartbeat'),
        ...folderParts(project, join(path, 'hooks'), 'program of hooks'),
      ]
    }),
    ...fileParts(project, join(project.path, '.mcp.json'), mcpParts),
  ]
}

const known = new WeakMap<SmallFile, readonly ActingPart[]>()

/** What acts in one file, worked out again only when the file has changed. */
function fileParts(project: Project, path: string, find: (file: SmallFile) => Said[]): readonly ActingPart[] {
  const file = readSmall(path, { root: project.path })
  if (file === undefined) return []
  const parts =
    known.get(file) ??
    find(file).map(({ value, ...said }) => ({ file: relative(project.path, path), ...said, digest: digest(value) }))
  known.set(file, parts)
  const programs =
    programsOf.get(file) ??
    find(file)
      .filter(({ what }) => /(^|\.)hooks$/.test(what))
      .flatMap(({ value }) => programsIn(value))
  programsOf.set(file, programs)
  return [...parts, ...programs.flatMap((program) => programPart(project, program))]
}

/** What acts in an agent's definition, if it says exactly this; programs that it names are files of their own. */
export function partsOfAgent(project: Project, path: string, text: string): readonly ActingPart[] | undefined {
  const file = readSmall(path, { root: project.path })
  if (file?.text !== text) return undefined
  return agentParts(file).map(({ value, ...said }) => ({
    file: relative(project.path, path),
    ...said,
    digest: digest(value),
  }))
}

const programsOf = new WeakMap<SmallFile, readonly string[]>()

/** A program that a hook's command names acts as the command does; what it starts in turn is not seen. */
function programPart(project: Project, program: string): ActingPart[] {
  const path = join(project.path, program)
  if (!isInside(realPath(path), project.path) || !statOf(path)?.isFile()) return []
  const tree = digestTree(path)
  if (tree === undefined) return []
  const part = { file: relative(project.path, path), what: 'program of a hook', digest: tree.digest }
  return [tree.problem ? { ...part, problem: tree.problem } : part]
}

interface Said {
  readonly what: string
  readonly value: unknown
  readonly narrows?: boolean
}

/** Every setting acts or narrows, except those that choose a model or are refused from projects anyway. */
function settingsParts(file: SmallFile): Said[] {
  return Object.entries(asObject(readJsonc(file).value)).flatMap(([key, value]): Said[] => {
    if (['$schema', 'defaultModel', 'smallModel'].includes(key) || isHomeOnly(key)) return []
    if (!['permissions', 'providers', 'mcpServers'].includes(key)) return [{ what: key, value }]
    return Object.entries(asObject(value)).map(([name, inner]) => {
      const narrows = key === 'permissions' && (name === 'deny' || name === 'ask')
      return { what: `${key}.${name}`, value: inner, ...(narrows && { narrows }) }
    })
  })
}

function agentParts(file: SmallFile): Said[] {
  const fields = fieldsOf(file)
  const restrictions = restrictionsIn(fields)
  const narrowing = { what: 'restrictions', value: restrictions, narrows: true }
  return [
    ...actingFields(fields).map(({ path, value }) => ({ what: path.join('.'), value })),
    ...(Object.keys(restrictions).length > 0 ? [narrowing] : []),
  ]
}

function mcpParts(file: SmallFile): Said[] {
  const servers = Object.entries(asObject(asObject(readJsonc(file).value).mcpServers))
  if (servers.length === 0) return [{ what: 'MCP servers', value: file.text }]
  return servers.map(([name, value]) => ({ what: `MCP server "${name}"`, value }))
}

function folderParts(project: Project, folder: string, kind: string): ActingPart[] {
  const parts = listFolder(folder).flatMap(({ name }) => {
    const path = join(folder, name)
    const tree = digestTree(path)
    if (tree === undefined) return []
    const part = { file: relative(project.path, path), what: `${kind} "${name}"`, digest: tree.digest }
    return [tree.problem ? { ...part, problem: tree.problem } : part]
  })
  return [...overfull(project, folder), ...parts]
}

/** A listing is cut at MAX_ENTRIES. What lies beyond is not seen, so the folder must not be trusted. */
function overfull(project: Project, folder: string): ActingPart[] {
  if (listFolder(folder).length < MAX_ENTRIES) return []
  return [
    { file: relative(project.path, folder), what: 'folder', digest: '', problem: `has ${MAX_ENTRIES} entries or more` },
  ]
}

const digest = (value: unknown): string => sha256(JSON.stringify(value) ?? '')
