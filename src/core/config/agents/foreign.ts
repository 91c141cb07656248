import { basename, join } from 'node:path'
import { type AgentFile, ModelName } from '../../../contract/agents.ts'
import { listFolder, readSmall, type SmallFile } from '../../../lib/files/files.ts'
import { asObject } from '../../../lib/json.ts'
import type { Project } from '../../base/index.ts'
import { ourTools, toolIn, toolList } from '../foreign-tools.ts'
import { looseMatter } from '../skills/read.ts'

/** An agent as another program wrote it, in our words. */
export interface ForeignAgent {
  readonly name: string
  /** Relative to the project. */
  readonly file: string
  readonly definition: AgentFile
  readonly prose: string
  /** What has no counterpart here. */
  readonly notes: readonly string[]
  /** Why it cannot be taken over. */
  readonly problem?: string
}

/** Of a folder. */
const LOOKED_AT = 300
/** Where other programs keep theirs. */
const folders = ['.claude/agents', '.opencode/agent', '.opencode/agents'] as const

/** The agents of other programs in a project; of two that have one name the first is it. */
export function foreignAgents({ path }: Project): ForeignAgent[] {
  const found = new Map<string, ForeignAgent>()
  for (const folder of folders) {
    for (const { name, folder: isFolder } of listFolder(join(path, folder)).slice(0, LOOKED_AT)) {
      const file = isFolder || !name.endsWith('.md') ? undefined : readSmall(join(path, folder, name), { root: path })
      const agent = file && read(file, join(folder, name))
      if (agent && !found.has(agent.name)) found.set(agent.name, agent)
    }
  }
  return [...found.values()]
}

function read(file: SmallFile, at: string): ForeignAgent {
  const { fields: given, body, problem } = looseMatter(file)
  const { name, description, tools, model, ...others } = asObject(given)
  const called = nameFrom(typeof name === 'string' ? name : basename(at, '.md'))
  const wrong = file.problem ?? problem ?? (file.cut ? 'is too large (256 KB at most)' : undefined)
  const scope = scopeFrom(tools)
  const chosen = modelFrom(model)
  const left = Object.keys(others)
  return {
    name: called,
    file: at,
    definition: {
      ...(typeof description === 'string' && { description: description.slice(0, 2000) }),
      ...(chosen.model !== undefined && { model: chosen.model }),
      ...(scope.tools && { tools: scope.tools }),
    },
    prose: body.trim(),
    notes: [
      ...(called === name || name === undefined ? [] : [`it is called "${called}" here`]),
      ...scope.notes,
      ...chosen.notes,
      ...(left.length > 0 ? [`left out: ${left.join(', ')}`] : []),
    ],
    ...(wrong !== undefined && { problem: wrong }),
  }
}

const nameFrom = (name: string): string =>
  name
    .trim()
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 64)

/** A list names what it has; a table says of each tool whether it has it. */
function scopeFrom(given: unknown): { tools?: AgentFile['tools']; notes: string[] } {
  if (given === undefined) return { notes: [] }
  if (typeof given === 'object' && !Array.isArray(given)) {
    const off = Object.entries(asObject(given)).flatMap(([tool, on]) => (on === false ? [tool] : []))
    const { ours, notes } = mapped(off)
    return { notes, ...(ours.length > 0 && { tools: { deny: ours } }) }
  }
  const { ours, notes } = mapped(toolList(given))
  return { tools: { allow: ours }, notes }
}

function mapped(theirs: readonly string[]): { ours: string[]; notes: string[] } {
  const unknown = theirs.filter((tool) => ourTools(tool) === undefined)
  const narrowed = theirs.filter((tool) => toolIn(tool) !== tool && !unknown.includes(tool))
  return {
    ours: [...new Set(theirs.flatMap((tool) => ourTools(tool) ?? []))],
    notes: [
      ...(unknown.length > 0 ? [`no tool here is like: ${unknown.join(', ')}; left out`] : []),
      ...(narrowed.length > 0
        ? [`taken without their patterns: ${narrowed.join(', ')}; calls are asked for as usual`]
        : []),
    ],
  }
}

/** `inherit` and short names such as "sonnet" mean nothing to other providers: the default model is used. */
function modelFrom(given: unknown): { model?: string; notes: string[] } {
  if (given === undefined || given === 'inherit') return { notes: [] }
  const parsed = ModelName.safeParse(given)
  if (parsed.success) return { model: parsed.data, notes: [] }
  return { notes: [`model: ${JSON.stringify(given)} is no "provider/model"; it has the default model`] }
}
