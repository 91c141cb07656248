import { resolve } from 'node:path'
import { realPath } from '../../lib/files/files.ts'
import { readScript } from '../../lib/shell/script.ts'
import { exactly, fixedLength, wildcard } from '../../lib/wildcard.ts'
import type { Subject, Tool, Touch } from '../base/index.ts'
import { fileAct, filesAct } from './files.ts'
import { type Located, type LookedAt, locate, look, type Refused, type Workplace } from './locate.ts'
import type { GitCommand } from './repository.ts'
import type { Act, RuleDecision, Ruling } from './rules.ts'
import { shellActs } from './shell.ts'

/** What a call would do, part by part, and the narrowest rules that would allow exactly that. */
export interface Acts {
  readonly acts: readonly Act[]
  readonly narrowest: readonly string[]
  /** Paths outside the workspace, as they really are. */
  readonly reach: readonly Touch[]
  /** The git commands that change a repository. */
  readonly git: readonly GitCommand[]
}

export type SessionAt = (to: string, session?: string) => Promise<string | undefined>

interface Where extends Workplace {
  /** Whose call it is. */
  readonly agent?: string | undefined
  readonly sessionAt?: SessionAt
}

export async function actsOf(tool: Tool, input: unknown, place: Where): Promise<Acts | Refused> {
  const line = tool.commandLine?.(input)
  if (line !== undefined) return commandActs(tool, line, look(place))
  if (tool.commandLine !== undefined) return { acts: [], narrowest: [], reach: [], git: [] }
  const touches = tool.touches?.(input)
  if (touches !== undefined) return touchActs(tool, touches, look(place))
  const subjects = tool.subjects?.(input) ?? [{ text: JSON.stringify(input ?? {}) }]
  const own = subjects.map((subject) => subjectAct(tool, subject))
  // What is allowed in any case needs no rule.
  const asked = subjects.filter(({ byDefault }) => byDefault !== 'allow')
  // Rules for the tool that `permittedAs` names count as well; the strictest holds.
  const alike =
    tool.permittedAs === undefined
      ? []
      : subjects.map((subject) => subjectAct({ ...tool, name: tool.permittedAs! }, subject))
  const implied = tool.implies?.(input, place.agent) ?? []
  const others = implied.map(({ tool: name, text }) => subjectAct({ ...tool, name }, { text }))
  const addressed = await addressActs(tool, input, subjects, place)
  return {
    acts: [...own, ...alike, ...others, ...addressed, ...ownFiles(tool, input, place)],
    narrowest: [
      ...(tool.subjects ? asked.map(({ text }) => `${tool.name}(${exactly(text)})`) : [tool.ruleName ?? tool.name]),
      ...implied.map(({ tool: name, text }) => `${name}(${exactly(text)})`),
    ],
    reach: [],
    git: [],
  }
}

/** What a tool reaches by itself is there for it; only rules that deny or ask say anything about it. */
function ownFiles(tool: Tool, input: unknown, place: Where): Act[] {
  const inProject = { ...place, workspace: realPath(place.projectPath) }
  return (tool.files?.(input, place.agent) ?? []).map(({ path, access }) => {
    const real = resolve(inProject.workspace, path)
    const file = { path, access, real, literal: real, outside: false, protects: undefined }
    return filesAct(access, [file], inProject)
  })
}

/** Rules about a session count however it was addressed: by another prefix, its agent's name or a task. */
async function addressActs(tool: Tool, input: unknown, subjects: readonly Subject[], place: Where): Promise<Act[]> {
  const address = tool.addresses?.(input)
  const id = address && (await place.sessionAt?.(address.to, address.session))
  if (id === undefined) return []
  const what = `session:${id.slice(0, 8)}`
  return [tool.name, ...(address?.as === undefined ? [] : [address.as])].map((name) => ({
    what: `${name}(${what})`,
    tool: name,
    matches: (pattern) => (namesSession(pattern, id) ? 'yes' : 'no'),
    covers: (pattern) =>
      pattern === undefined || namesSession(pattern, id) || subjects.some(({ text }) => wildcard(pattern, text)),
    otherwise: { decision: 'allow', because: `${name}(${what}) is allowed by default` },
  }))
}

function namesSession(pattern: string, id: string): boolean {
  const named = sessionIn(pattern)
  return named !== undefined && id.startsWith(named)
}

/** `session:6fe8` and `session:6fe8*` name every session that begins so; `session:*` names none. */
export const sessionIn = (pattern: string): string | undefined =>
  /^session:([0-9a-f]+)\*?$/i.exec(pattern)?.[1]?.toLowerCase()

async function commandActs(tool: Tool, line: string, place: LookedAt): Promise<Acts | Refused> {
  const script = readScript(line, { folder: place.run?.folder ?? place.workspace, home: place.userHome })
  const found = await shellActs(tool.name, line, script, place)
  if ('refuse' in found) return found
  const { acts, narrowest, git } = found
  const reach = [...found.opens, ...found.names].map(({ real, access }) => ({ path: real, access }))
  return { acts, narrowest, reach, git }
}

async function touchActs(tool: Tool, touches: readonly Touch[], place: LookedAt): Promise<Acts | Refused> {
  const files: Located[] = []
  for (const touch of touches) {
    const found = await locate(place, touch)
    if ('refuse' in found) return found
    files.push(found)
  }
  return {
    acts: files.map((file) => fileAct(tool.name, file, place)),
    narrowest: [...new Set(files.map(({ real }) => `${tool.name}(${exactly(real)})`))],
    reach: files.filter(({ outside }) => outside).map(({ real, access }) => ({ path: real, access })),
    git: [],
  }
}

const askedByDefault = ['shell', 'net', 'mcp']

function defaultFor(tool: Tool, byDefault?: RuleDecision, what = tool.name): Ruling {
  const risky = tool.capabilities.find((capability) => askedByDefault.includes(capability))
  const decision = byDefault ?? (risky === undefined && !isForeign(tool) ? 'allow' : 'ask')
  const said = { allow: 'allowed', ask: 'asked for', deny: 'denied' }[decision]
  if (decision !== 'ask' || risky === undefined) return { decision, because: `${what} is ${said} by default` }
  return { decision, because: `${what} needs "${risky}", which is asked for by default` }
}

/** What a connected program does with a call is its own affair, so a person decides about each. */
const isForeign = ({ origin }: Tool): boolean => origin?.source === 'client'

export const wholeTool = (tool: Tool): Act => ({
  what: tool.name,
  tool: tool.name,
  ...(tool.ruleName !== undefined && { like: tool.ruleName }),
  matches: () => 'no',
  covers: (pattern) => pattern === undefined,
  otherwise: defaultFor(tool, tool.grantedByName ? 'deny' : undefined),
})

export function subjectAct(tool: Tool, { text, byDefault, why }: Subject): Act {
  const what = tool.subjects ? `${tool.name}(${text})` : tool.name
  const ruling = defaultFor(tool, byDefault, what)
  const otherwise = why === undefined ? ruling : { ...ruling, because: `${ruling.because}: ${why}` }
  const denied = otherwise.decision === 'deny'
  return {
    what,
    tool: tool.name,
    ...(tool.ruleName !== undefined && { like: tool.ruleName }),
    matches: (pattern) => (wildcard(pattern, text) ? 'yes' : 'no'),
    // What is denied by default is granted only by a rule that names it, not by one that means everything.
    covers: (pattern, { tool: named }) =>
      pattern === undefined
        ? !denied || (tool.grantedByName === true && named === tool.name)
        : wildcard(pattern, text) && !(denied && (named.includes('*') || fixedLength(pattern) === 0)),
    otherwise,
  }
}
