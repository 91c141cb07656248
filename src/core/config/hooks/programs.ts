import { basename } from 'node:path'
import { asObject } from '../../../lib/json.ts'

const interpreters = new Set([
  'bash',
  'sh',
  'zsh',
  'dash',
  'node',
  'bun',
  'deno',
  'tsx',
  'python',
  'python3',
  'perl',
  'ruby',
])
const prefixes = new Set(['env', 'exec', 'command', 'time', 'nice', 'source', '.', 'run'])

/** The files that the commands of hooks begin with, as the commands name them: a program, or what an interpreter reads. */
export function programsIn(hooks: unknown): string[] {
  const commands = Object.values(asObject(hooks))
    .flat()
    .map((hook) => asObject(hook).command)
    .filter((command) => typeof command === 'string')
  return [...new Set(commands.flatMap((command) => command.split(/[;&|\n()]+/)).flatMap(programsOf))]
}

function programsOf(command: string): string[] {
  const words = (command.match(/"[^"]*"|'[^']*'|\S+/g) ?? []).map((word) => word.replace(/^(["'])(.*)\1$/, '$2'))
  const named: string[] = []
  for (const word of words) {
    if (/^[A-Za-z_]\w*=/.test(word) || word.startsWith('-')) continue
    if (!word.includes('$')) named.push(word)
    if (!interpreters.has(basename(word)) && !prefixes.has(word)) break
  }
  return named
}
