import type { AgentFile } from '../../contract/agents.ts'

/** An agent as a newcomer describes it. */
export interface Starter {
  readonly name: string
  /** What the agent does, in the person's words; if left out, the agent writes. */
  readonly does?: string
  readonly may: StarterRights
}

export type StarterRights = 'read' | 'write' | 'run'

export const author: Starter = { name: 'author', may: 'write' }

/** Whom a starter works with, so that from the first day there are two who talk. */
export const partnerOf = ({ name }: Starter): Starter => (name === reviewer.name ? author : reviewer)

const reviewer: Starter = {
  name: 'reviewer',
  may: 'read',
  does: 'You review work in this project. Say what is wrong with it, most important first: the file and line, what happens, and what to do instead. If nothing is wrong, say so in one sentence.',
}

/** The files of the folder .troupe, by their paths in it. */
export function starterFiles(agent: Starter): Record<string, string> {
  const partner = partnerOf(agent)
  return {
    'settings.json': settings,
    '.gitignore': `${ignoredLines.join('\n')}\n`,
    ...agentFiles(
      agent,
      partner,
      `Before you hand over work, ask ${partner.name} to look at it, and act on the answer.`,
    ),
    ...agentFiles(partner, agent, `If you cannot tell what was meant, ask ${agent.name}.`),
  }
}

const agentFiles = (agent: Starter, other: Starter, together: string): Record<string, string> => ({
  [`agents/${agent.name}/agent.json`]: agentJson(agent, other),
  [`agents/${agent.name}/AGENT.md`]: prose(agent.does ?? WRITES, together),
})

/** The parts of .troupe that belong to one person or one machine. */
export const ignoredLines = ['settings.local.json', 'runs/', 'worktrees/', 'memory/.lock'] as const

const WRITES = 'You write and change files in this project: texts and code.'

const reading = ['read_file', 'list_dir', 'glob', 'grep', 'todo_*', 'memory_*', 'ask_human', 'agent_*']
const tools: Record<StarterRights, { allow: readonly string[]; says: string }> = {
  read: { allow: reading, says: 'It reads and asks; it cannot write files or run commands.' },
  write: { allow: [...reading, 'write_file', 'edit_file'], says: 'It reads and writes files; it cannot run commands.' },
  run: {
    allow: [...reading, 'write_file', 'edit_file', 'bash'],
    says: 'It reads and writes files, and runs commands after you allowed them.',
  },
}

function agentJson({ name, does = WRITES, may }: Starter, other: Starter): string {
  const displayName: AgentFile['displayName'] = name.replace(
    /(^|-)([a-z])/g,
    (_, dash: string, letter: string) => `${dash && ' '}${letter.toUpperCase()}`,
  )
  return `{
  "$schema": "../../schemas/agent.schema.json",
  "displayName": ${JSON.stringify(displayName)},
  /* How it is described to other agents and in the list of agents. */
  "description": ${JSON.stringify(firstSentence(does))},
  /* ${tools[may].says} */
  "tools": { "allow": ${JSON.stringify(tools[may].allow).replaceAll(',', ', ')} },
  /* Whom it may talk to. */
  "agents": { "allow": ["${other.name}"] },
  /* A model of its own, instead of the default: */
  // "model": "anthropic/claude-sonnet-5-5",
}
`
}

const firstSentence = (text: string): string => (/^[\s\S]*?[.!?](?=\s|$)/.exec(text)?.[0] ?? text).slice(0, 300)

const prose = (does: string, together: string): string => `${does.trim()}

Read what you are asked about before you act or judge. Say what you did and what you found, most important first.
${together} If something is unclear, ask the person.
`

/** Words are in block comments, so that every line which begins with // can be brought to life. */
const settings = `{
  "$schema": "./schemas/settings.schema.json",
  /* Settings of this project, shared with everyone who works on it. Your own go into settings.local.json. */
  /* The model of agents that name none: */
  // "defaultModel": "anthropic/claude-sonnet-5-5",
  /* What agents may do here without asking, and what they may never do. Allow rules need "troupe trust": */
  // "permissions": { "allow": ["bash(git status*)"], "deny": ["bash(git push*)"] },
  /* A turn ends at these limits: */
  // "limits": { "maxIterations": 50, "maxDurationSeconds": 1800 },
}
`
