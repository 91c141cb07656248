import type { AgentFile } from '../../contract/agents.ts'

/** An agent as a newcomer describes it. */
export interface Starter {
  readonly name: string
  /** What the agent does, in the person's words; if left out, the agent reviews. */
  readonly does?: string
  readonly may: StarterRights
}

export type StarterRights = 'read' | 'write' | 'run'

export const reviewer: Starter = { name: 'reviewer', may: 'read' }

/** The files of the folder .troupe, by their paths in it. */
export const starterFiles = (agent: Starter): Record<string, string> => ({
  'settings.json': settings,
  '.gitignore': `${ignoredLines.join('\n')}\n`,
  [`agents/${agent.name}/agent.json`]: agentJson(agent),
  [`agents/${agent.name}/AGENT.md`]: agent.does ? ownProse(agent.does) : reviewerProse,
})

/** The parts of .troupe that belong to one person or one machine. */
export const ignoredLines = ['settings.local.json', 'runs/', 'worktrees/'] as const

const reading = ['read_file', 'list_dir', 'glob', 'grep', 'todo_*', 'ask_human']
const tools: Record<StarterRights, { allow: readonly string[]; says: string }> = {
  read: { allow: reading, says: 'It reads and asks; it cannot write files or run commands.' },
  write: { allow: [...reading, 'write_file', 'edit_file'], says: 'It reads and writes files; it cannot run commands.' },
  run: {
    allow: [...reading, 'write_file', 'edit_file', 'bash'],
    says: 'It reads and writes files, and runs commands after you allowed them.',
  },
}

function agentJson({ name, does, may }: Starter): string {
  const displayName: AgentFile['displayName'] = name.replace(
    /(^|-)([a-z])/g,
    (_, dash: string, letter: string) => `${dash && ' '}${letter.toUpperCase()}`,
  )
  const description = does
    ? firstSentence(does)
    : 'Reads code and text of this project and says what is wrong with it, most important first.'
  return `{
  "$schema": "../../schemas/agent.schema.json",
  "displayName": ${JSON.stringify(displayName)},
  // How it is described to other agents and in the list of agents.
  "description": ${JSON.stringify(description)},
  // ${tools[may].says}
  "tools": { "allow": ${JSON.stringify(tools[may].allow).replaceAll(',', ', ')} },
  //
  // A model of its own, instead of the default:
  // "model": "anthropic/claude-sonnet-4-5",
}
`
}

const firstSentence = (text: string): string => (/^[\s\S]*?[.!?](?=\s|$)/.exec(text)?.[0] ?? text).slice(0, 300)

const ownProse = (does: string): string => `${does.trim()}

Read what you are asked about before you act or judge. Say what you did and what you found, most important first.
If something is unclear, ask.
`

const reviewerProse = `You review work in this project.

Read what you are asked about before you judge it, and what it depends on as far as you need it.
Say what is wrong, most important first: the file and line, what happens, and what to do instead.
If something is unclear, ask. If nothing is wrong, say so in one sentence.
`

const settings = `{
  "$schema": "./schemas/settings.schema.json",
  // Settings of this project, shared with everyone who works on it. Your own go into settings.local.json.
  //
  // The model of agents that name none:
  // "defaultModel": "anthropic/claude-sonnet-4-5",
  //
  // What agents may do here without asking, and what they may never do. Allow rules need "troupe trust":
  // "permissions": { "allow": ["bash"], "deny": [] },
  //
  // A turn ends at these limits:
  // "limits": { "maxIterations": 50, "maxDurationSeconds": 1800 },
}
`
