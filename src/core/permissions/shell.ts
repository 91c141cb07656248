import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Folder, Redirection, Script, SimpleCommand } from '../../lib/shell/script.ts'
import { programName } from '../../lib/shell/unwrap.ts'
import type { Word } from '../../lib/shell/words.ts'
import { fileAct } from './files.ts'
import { type Located, locate, type Refused, type Workplace } from './locate.ts'
import { isExact, wildcard } from './patterns.ts'
import { type GitCommand, gitCommands } from './repository.ts'
import type { Act, Ruling } from './rules.ts'

/** What a command line would do, each part to be judged on its own. */
export interface ShellActs {
  readonly acts: readonly Act[]
  /** Files outside the workspace, or protected in it, that the shell itself opens. */
  readonly opens: readonly Located[]
  /** Such files that are named to a program which may write them. */
  readonly names: readonly Located[]
  readonly git: readonly GitCommand[]
}

export async function shellActs(
  tool: string,
  source: string,
  script: Script,
  place: Workplace,
): Promise<ShellActs | Refused> {
  const acts: Act[] = []
  const opens: Located[] = []
  const names: Located[] = []
  for (const command of script.commands) {
    const reached = await reachedBy(command, place)
    if ('refuse' in reached) return reached
    acts.push(commandAct(tool, source, command, reached))
    names.push(...reached.files)
  }
  for (const redirection of script.redirections) {
    const opened = await openedBy(redirection, place)
    if ('refuse' in opened) return opened
    acts.push(...opened.files.map((file) => redirectionAct(tool, source, file, place)))
    if (opened.unknown)
      acts.push(unsure(tool, source, `where "${redirection.target.text}" leads is known only when it runs`))
    opens.push(...opened.files.filter(isSpecial))
  }
  if (script.unsure !== undefined) acts.push(unsure(tool, source, script.unsure))
  return { acts, opens, names, git: gitCommands(script.commands, place.workspace) }
}

const isSpecial = ({ outside, access, protects }: Located): boolean =>
  outside || (access === 'write' && protects !== undefined)

/** Programs that only look at the files they are given. */
const readers = new Set(
  'cat head tail less more grep egrep fgrep rg ls stat file wc diff cmp du df find tree git md5sum sha1sum sha256sum jq cut sort uniq nl od xxd strings test [ cd pushd popd realpath readlink dirname basename'.split(
    ' ',
  ),
)

/** Programs that take no files. */
const fileless = new Set(
  'echo printf true false : sleep seq date pwd exit which type command whoami id uname'.split(' '),
)

/** Built-ins that do nothing by themselves. */
const free = new Set(['cd', 'pushd', 'popd', 'true', 'false', ':', 'pwd', 'exit', 'test', '[', 'set', 'command'])

interface Reached {
  readonly outside: boolean
  readonly unknown: boolean
  /** The protected pattern that it may write. */
  readonly protects: string | undefined
  /** Outside or protected, and named to a program that may write. */
  readonly files: readonly Located[]
}

async function reachedBy(command: SimpleCommand, place: Workplace): Promise<Reached | Refused> {
  const name = programName(command.words[0]) ?? ''
  const files = fileless.has(name) ? [] : command.words.slice(1).flatMap(pathsIn)
  const hidden = !fileless.has(name) && command.words.slice(1).some(({ kind }) => kind === 'unknown')
  let reached: Reached = { outside: false, unknown: hidden, protects: undefined, files: [] }
  for (const steps of command.folders) {
    const folder = await folderAt(steps, place)
    if (folder === undefined) reached = { ...reached, unknown: true }
    for (const path of folder === undefined ? [] : ['.', ...files]) {
      const found = await locate(place, { path: expanded(path, place), access: 'write' }, folder)
      if (!('refuse' in found)) {
        const protects = readers.has(name) ? undefined : found.protects
        const writes =
          path !== '.' && !readers.has(name) && isSpecial(found) && (!found.outside || existsSync(found.real))
        reached = {
          ...reached,
          outside: reached.outside || found.outside,
          protects: reached.protects ?? protects,
          files: writes ? [...reached.files, found] : reached.files,
        }
      } else if (found.home) return found
      else if (/^[/~]|\.\./.test(path) && !devices.has(path)) reached = { ...reached, outside: true }
    }
  }
  return reached
}

function pathsIn({ text, kind, tilde }: Word): string[] {
  if (kind === 'unknown') return []
  // A pattern gives the folder it looks in; --option=value and -Xvalue give the value.
  const whole = kind === 'pattern' ? text.replace(/[^/]*[*?[].*$/s, '') : text
  if (!whole.startsWith('-')) return whole === '' ? [] : [tilde ? whole : whole.replace(/^~/, './~')]
  const value = /=(.+)$/s.exec(whole)?.[1] ?? /^-\w([~/.].*)$/s.exec(whole)?.[1]
  return value === undefined ? [] : [value]
}

const expanded = (path: string, { userHome }: Workplace): string =>
  userHome !== undefined && /^~(\/|$)/.test(path) ? `${userHome}${path.slice(1)}` : path.startsWith('~') ? '/' : path

async function folderAt(steps: Folder, place: Workplace): Promise<string | undefined> {
  let folder = place.workspace
  for (const step of steps) {
    if (step.kind !== 'literal') return undefined
    const found = await locate(
      place,
      { path: step.tilde ? expanded(step.text, place) : step.text, access: 'write' },
      folder,
    )
    folder = 'refuse' in found ? resolve(folder, step.text) : found.real
  }
  return folder
}

function commandAct(tool: string, source: string, command: SimpleCommand, reached: Reached): Act {
  const name = programName(command.words[0])
  const opaque = command.words.some(({ kind }) => kind === 'unknown')
  const texts = [command.text, ...(command.mayRun ?? []), ...withoutPath(command)]
  const isFree = name !== undefined && free.has(name) && command.hazard === undefined
  return {
    what: `"${command.text}"`,
    tool,
    matches(pattern) {
      if (texts.some((text) => wildcard(pattern, text))) return 'yes'
      if (name === undefined) return 'maybe'
      return opaque && wildcard(pattern.split(' ', 1)[0]!, name) ? 'maybe' : 'no'
    },
    covers(pattern) {
      if (isAll(pattern)) return reached.protects === undefined
      if (isExact(pattern)) return (!opaque && wildcard(pattern, command.text)) || wildcard(pattern, source)
      if (command.hazard !== undefined || reached.unknown) return false
      if (reached.outside && !/(^|[\s=])(\/|~|\.\.)/.test(pattern)) return false
      return reached.protects === undefined && isNamed(pattern, command) && wildcard(pattern, command.text)
    },
    otherwise: isFree && !reached.outside && !reached.unknown ? freely(name) : asked(command, reached),
    changesRights: reached.protects !== undefined,
  }
}

/** The whole program has to be named: "ls*" means ls with anything after it, not lsof. */
function isNamed(pattern: string, { words }: SimpleCommand): boolean {
  const program = pattern.split(' ', 1)[0]!.replace(/\*+$/, '')
  return words[0]?.kind === 'literal' && isExact(program) && wildcard(program, words[0].text)
}

const withoutPath = ({ words, text }: SimpleCommand): string[] =>
  words[0]?.kind === 'literal' && words[0].text.includes('/') ? [text.replace(/^\S*\//, '')] : []

const freely = (name: string): Ruling => ({ decision: 'allow', because: `${name} does nothing by itself` })

function asked(command: SimpleCommand, reached: Reached): Ruling {
  const because =
    reached.protects !== undefined
      ? `"${command.text}" may write ${reached.protects}, which changes what agents may do`
      : command.hazard !== undefined
        ? `no rule has exactly "${command.text}" (${command.hazard})`
        : reached.outside
          ? `"${command.text}" reaches outside the workspace`
          : reached.unknown
            ? `what "${command.text}" touches is known only when it runs`
            : `no rule allows "${command.text}", and commands are asked for by default`
  return { decision: 'ask', because }
}

/** Judged as for the file tools; a rule for the shell as a whole, or for this very command line, covers it too. */
function redirectionAct(tool: string, source: string, file: Located, place: Workplace): Act {
  const act = fileAct(file.access === 'write' ? 'write_file' : 'read_file', file, place)
  return {
    ...act,
    within: tool,
    covers(pattern, rule) {
      if (wildcard(rule.tool, act.tool) && act.covers(pattern, rule)) return true
      if (!wildcard(rule.tool, tool)) return false
      return isAll(pattern) ? act.covers(undefined, rule) : isExact(pattern) && wildcard(pattern, source)
    },
  }
}

const isAll = (pattern: string | undefined): pattern is undefined => pattern === undefined || /^\*+$/.test(pattern)

const unsure = (tool: string, source: string, why: string): Act => ({
  what: 'the command',
  tool,
  matches: () => 'maybe',
  covers: (pattern) => isAll(pattern) || (isExact(pattern) && wildcard(pattern, source)),
  otherwise: { decision: 'ask', because: why },
})

const devices = new Set(['/dev/null', '/dev/stdin', '/dev/stdout', '/dev/stderr'])

async function openedBy(
  { access, target, folders }: Redirection,
  place: Workplace,
): Promise<{ files: Located[]; unknown: boolean } | Refused> {
  if (target.kind === 'literal' && devices.has(target.text)) return { files: [], unknown: false }
  if (target.kind !== 'literal') return { files: [], unknown: true }
  const files = new Map<string, Located>()
  for (const steps of folders) {
    const folder = await folderAt(steps, place)
    if (folder === undefined) return { files: [], unknown: true }
    const path = target.tilde ? expanded(target.text, place) : target.text
    const found = await locate(place, { path, access }, folder)
    if ('refuse' in found) return found
    files.set(found.real, found)
  }
  return { files: [...files.values()], unknown: false }
}
