import { platform } from 'node:os'
import { join } from 'node:path'
import type { Agent } from '../../contract/agents.ts'
import type { Mode } from '../../contract/sessions.ts'
import { iso } from '../../lib/clock.ts'
import { readSmall, sha256 } from '../../lib/files/files.ts'
import { type Core, defuse, defuseTags, type Project, type Tool } from '../base/index.ts'
import { nothing, type Recollection } from '../memory/index.ts'
import { FILE, memoryNews, memorySection } from './memory-section.ts'
import { baseRules, modeRules } from './prompt-rules.ts'
import { type RunPart, runRules } from './run-rules.ts'

const PROJECT_BYTES = 32 * 1024

/** The sections, in their order. */
const tags = [
  'rules',
  'agent',
  'soul',
  'goal',
  'project',
  'environment',
  'memory',
  'skills',
  'guidance',
  'tools',
  'agents',
  'mode',
] as const
type Tag = (typeof tags)[number]

/** A change of one of these leaves the prompt as it is and arrives as a message: see changes.ts. */
const live: readonly Tag[] = ['project', 'memory', 'skills', 'tools', 'agents']

/** Of memory a session is told file by file. */
const whole = live.filter((tag) => tag !== 'memory')

export interface PromptInput {
  readonly project: Project
  readonly agent: Agent
  readonly mode: Mode
  /** What it is in the run that is open around it. */
  readonly run?: RunPart | undefined
  readonly model: string
  readonly workspace: string
  /** Those whose schemas are in every request from the beginning. */
  readonly tools: readonly Pick<Tool, 'name' | 'guidance'>[]
  /** The tools that are known beside them, in words. */
  readonly known?: string
  /** The skills it has, in words. */
  readonly skills?: string
  /** What it remembers. */
  readonly memory?: Recollection
  /** Whom it may talk to. */
  readonly agents: readonly { readonly name: string; readonly description: string }[]
}

export interface Prompt {
  readonly text: string
  readonly sections: readonly { readonly tag: string; readonly text: string; readonly tokens: number }[]
  /** A hash of everything in the prompt except the day and the live sections. A frozen prompt stays right while the hash is the same. */
  readonly key: string
  /** The live sections as they are now, empty ones too. */
  readonly live: readonly Section[]
}

export interface Section {
  readonly tag: string
  readonly text: string
  /** Where the text is not what is compared with what the session knows. */
  readonly digest?: string
}

export async function buildPrompt(core: Pick<Core, 'clock'>, input: PromptInput): Promise<Prompt> {
  const { agent, memory = nothing } = input
  const day = iso(core.clock.now()).slice(0, 10)
  const texts: Record<Tag, string> = {
    rules: baseRules,
    agent: data(expand(agent.prose.agent, agent)) || introduction(agent),
    soul: data(expand(agent.prose.soul, agent)),
    goal: data(expand(agent.prose.goal, agent)),
    project: projectText(input.project),
    environment: environment(input, day),
    memory: memorySection(memory, data),
    skills: data(input.skills ?? ''),
    guidance: guidance(input.tools),
    tools: data(input.known ?? ''),
    agents: colleagues(input.agents),
    mode: input.run ? runRules(input.run) : modeRules[input.mode],
  }
  const sections = tags.flatMap((tag) => {
    const text = tagged(tag, texts[tag])
    return text ? [{ tag, text, tokens: Math.ceil(text.length / 4) }] : []
  })
  const undated: Partial<typeof texts> = { ...texts, environment: environment(input, '') }
  for (const tag of live) delete undated[tag]
  return {
    text: sections.map((section) => section.text).join('\n\n'),
    sections,
    key: sha256(JSON.stringify([input.model, agent.hash, undated])),
    live: [...whole.map((tag) => ({ tag, text: tagged(tag, texts[tag]) })), ...memoryNews(memory.files, data)],
  }
}

const tagged = (tag: Tag, text: string): string => text && `<${tag}>\n${text}\n</${tag}>`

const introduction = ({ displayName, description }: Agent): string => data(`You are ${displayName}. ${description}`)

const expand = (text: string, agent: Agent): string => text.replaceAll('$AGENT_FOLDER', () => agent.folder)

/** AGENTS.md at the project's root, for whoever works here. */
function projectText({ path }: Project): string {
  const file = readSmall(join(path, 'AGENTS.md'), { root: path, limit: PROJECT_BYTES })
  const text = data(file?.text ?? '')
  if (text === '') return ''
  const cut = file?.cut ? `\n[AGENTS.md is longer than ${PROJECT_BYTES / 1024} KB; read the file for the rest.]` : ''
  return `From AGENTS.md at the root of the project:\n${text}${cut}`
}

function environment({ project, workspace }: PromptInput, day: string): string {
  const lines = [`Date: ${day} (UTC)`, `Project: ${data(project.path)}`, `Platform: ${platform()}`]
  const where = workspace === project.path ? 'the project folder' : data(workspace)
  lines.splice(2, 0, `Workspace, where your files and commands live: ${where}`)
  return lines.join('\n')
}

const guidance = (tools: PromptInput['tools']): string =>
  tools
    .filter((tool) => tool.guidance)
    .map((tool) => `${tool.name}: ${tool.guidance}`)
    .join('\n')

function colleagues(agents: PromptInput['agents']): string {
  if (agents.length === 0) return ''
  const lines = agents.map(({ name, description }) => `- ${name}${description ? `: ${data(description)}` : ''}`)
  return `Agents you may address by name:\n${lines.join('\n')}`
}

/** Text from files is a part of its section and nothing else. */
export const data = (text: string): string => defuseTags(defuse(text.trim()), [...tags, FILE])
