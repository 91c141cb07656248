import { resolve } from 'node:path'
import { realPath } from '../../lib/files/files.ts'
import { type GitWork, noGit } from '../../lib/sandbox/box.ts'
import type { SimpleCommand } from '../../lib/shell/script.ts'
import { programName } from '../../lib/shell/words.ts'
import { wildcard } from '../../lib/wildcard.ts'

/** One git command of a call that changes a repository. */
export interface GitCommand {
  readonly text: string
  readonly subcommand: string
  /** The folders in which it may work. */
  readonly folders: readonly string[]
}

/** Subcommands of git that leave the repository as it is. */
const looking =
  /^(status|log|diff|show|blame|annotate|grep|ls-files|ls-tree|ls-remote|rev-parse|rev-list|describe|cat-file|shortlog|help|version|archive|name-rev|merge-base|for-each-ref|check-ignore|check-attr|count-objects|whatchanged|diff-tree|diff-index|diff-files|show-ref|var|cherry|range-diff|fsck)$/

/** Those that write which branches and remotes there are into the configuration. */
const naming = /^(remote|branch|checkout|switch|push|pull|fetch|submodule|clone|init|worktree|config)$/

const making = /^(clone|init|submodule|worktree)$/

/** The git commands of a line that change a repository, each with the folders in which it works. */
export function gitCommands(commands: readonly SimpleCommand[]): GitCommand[] {
  return commands.flatMap((command) => {
    if (programName(command.words[0]) !== 'git') return []
    const [subcommand, into] = subcommandOf(command)
    if (subcommand === undefined || looking.test(subcommand)) return []
    const folders = command.folders.map((folder) => realPath(resolve(folder, ...into)))
    return [{ text: command.text, subcommand, folders }]
  })
}

/** Behind the options of git itself, with the folders that `-C` leads to. Undefined when another option chooses the repository. */
function subcommandOf({ words }: SimpleCommand): [string | undefined, string[]] {
  const into: string[] = []
  for (let at = 1; at < words.length; at += 1) {
    const { text, known } = words[at]!
    if (!known || /^--(git-dir|work-tree|namespace|exec-path|bare)\b/.test(text)) return [undefined, into]
    if (text === '-C') into.push(words[at + 1]?.text ?? '')
    if (text === '-C' || text === '-c') at += 1
    else if (!text.startsWith('-')) return [text, into]
  }
  return [undefined, into]
}

/** An approval is for every command that was shown. */
export const approvedGit = (commands: readonly GitCommand[]): GitWork => work(commands, 'open', true)

/** A rule is for the git commands that its pattern names, and opens the configuration only when it names `git config`. */
export function ruledGit(commands: readonly GitCommand[], patterns: readonly string[]): GitWork {
  const named = commands.filter(({ text }) => patterns.some((pattern) => isGit(pattern) && wildcard(pattern, text)))
  const opens = (pattern: string): boolean =>
    /^git config\b/.test(pattern) && named.some(({ text }) => wildcard(pattern, text))
  const config = patterns.some(opens) ? 'open' : 'remotes'
  return work(named, config, false)
}

const isGit = (pattern: string): boolean => /^git\b/.test(pattern)

function work(commands: readonly GitCommand[], config: 'open' | 'remotes', approved: boolean): GitWork {
  if (commands.length === 0) return noGit
  const some = (kind: RegExp): boolean => commands.some(({ subcommand }) => kind.test(subcommand))
  return {
    folders: [...new Set(commands.flatMap(({ folders }) => folders))],
    config: some(/^config$/) ? config : some(naming) ? 'remotes' : 'closed',
    makes: some(making),
    approved,
  }
}
