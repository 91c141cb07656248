import { existsSync } from 'node:fs'
import { isInside } from '../../lib/files/files.ts'
import type { Redirection, Script, SimpleCommand } from '../../lib/shell/script.ts'
import type { GivenFile } from '../../lib/shell/understand.ts'
import { programName } from '../../lib/shell/words.ts'
import { exactly, fixedLength, isExact, wildcard } from '../../lib/wildcard.ts'
import { fileAct, filesAct, fileWords, writesProtected } from './files.ts'
import { followPath, type Located, type LookedAt, locate, type Refused, type Workplace } from './locate.ts'
import { pathMatches } from './patterns.ts'
import { type GitCommand, gitCommands } from './repository.ts'
import type { Act, Ruling } from './rules.ts'

/** What a command line would do, each part to be judged on its own. */
interface ShellActs {
  readonly acts: readonly Act[]
  /** Files outside the workspace, or protected in it, that the shell itself opens. */
  readonly opens: readonly Located[]
  /** Such files that are named to a program which may write them. */
  readonly names: readonly Located[]
  /** The narrowest rules that allow exactly this. */
  readonly narrowest: readonly string[]
  readonly git: readonly GitCommand[]
}

export async function shellActs(
  tool: string,
  source: string,
  script: Script,
  place: LookedAt,
): Promise<ShellActs | Refused> {
  const acts: Act[] = []
  const opens: Located[] = []
  const names: Located[] = []
  const line: Line = { tool, source, place }
  for (const redirection of script.redirections) {
    const opened = await openedBy(redirection, place)
    if ('refuse' in opened) return opened
    acts.push(...opened.map((file) => lineFileAct(line, file)))
    if (redirection.moved) acts.push(unsure(line, `an earlier part may change where "${redirection.path}" leads`))
    opens.push(...opened.filter(isSpecial))
  }
  for (const command of script.commands) {
    const reached = await reachedBy(command, place)
    if ('refuse' in reached) return reached
    const isOpaque = !command.fileless && command.words.some(({ known }) => !known)
    if (isOpaque) acts.push(...unknownFiles(line, `what "${command.whole}" touches is known only when it runs`))
    acts.push(...reached.acts(line), commandAct(line, command))
    names.push(...reached.files.map((file) => asWritten(command, file)).filter(isOpened))
  }
  if (script.unsure !== undefined) {
    const doubt = unsure(line, script.unsure)
    acts.push(script.trapped ? { ...doubt, covers: isAll } : doubt, ...unknownFiles(line, script.unsure))
  }
  if (acts.length === 0) acts.push(unsure(line, 'it has no command'))
  return { acts, opens, names, narrowest: narrowestFor(line, script, opens), git: gitCommands(script.commands) }
}

interface Line {
  readonly tool: string
  readonly source: string
  readonly place: Workplace
}

const isSpecial = (file: Located): boolean => file.outside || writesProtected(file)

/** A program that may do more than its name says may write what it is given. */
const asWritten = ({ hazard }: SimpleCommand, file: Located): Located =>
  hazard === undefined ? file : { ...file, access: 'write' }

/** What is missing outside cannot be mounted; what is protected in the workspace needs no mount. */
const isOpened = (file: Located): boolean => isSpecial(file) && (!file.outside || existsSync(file.real))

/** Each command word for word; a line that is not certain can only be allowed as the very text that was seen. */
function narrowestFor({ tool, source }: Line, script: Script, opens: readonly Located[]): string[] {
  const isCertain = script.commands.every(({ words, moved }) => !moved && words.every(({ known }) => known))
  if (script.unsure !== undefined || script.repeats || !isCertain) return [`${tool}(${exactly(source)})`]
  const commands = script.commands
    .filter((command) => !isFree(command))
    .map(({ whole }) => `${tool}(${exactly(whole)})`)
  const files = opens.map(({ real, access }) => `${fileWords[access]}(${exactly(real)})`)
  return [...new Set([...commands, ...files])]
}

/** Built-ins that do nothing by themselves. */
const free = new Set(['cd', 'true', 'false', ':', 'pwd', 'exit', 'test', '[', 'set', 'command'])

const isFree = ({ words, text, hazard }: SimpleCommand): boolean =>
  hazard === undefined && (free.has(programName(words[0]) ?? '') || text === 'cat')

interface Reached {
  readonly files: readonly Located[]
  acts(line: Line): Act[]
}

/** Every file that a command is known to touch, in each folder in which it may run. */
async function reachedBy(command: SimpleCommand, place: LookedAt): Promise<Reached | Refused> {
  const files = new Map<string, Located>()
  const odd: string[] = []
  const seen = new Set<string>()
  for (const folder of command.folders) {
    const isOwn =
      isInside(folder, place.workspace) || (place.run?.folder !== undefined && isInside(folder, place.run.folder))
    const here: GivenFile[] = isOwn ? [] : [{ path: '.', access: 'read', deep: false }]
    for (const { path, access, deep, maybe } of [...here, ...command.files]) {
      if (devices.has(path) || path === '' || seen.has(`${folder} ${access} ${path}`)) continue
      seen.add(`${folder} ${access} ${path}`)
      // A path that cannot be read yet may be there by then.
      const found = await locate(place, { path: followPath(folder, path), access: 'write' }, access)
      if (!('refuse' in found))
        files.set(`${access} ${found.real}`, { ...found, access, deep, ...withAll(command, found.real, place) })
      else if (found.home || (place.run && found.refuse.startsWith('Not permitted'))) return found
      else if (!maybe) odd.push(path)
    }
  }
  const all = [...files.values()]
  return {
    files: all,
    acts(line) {
      const special = all.filter(isSpecial).map((file) => commandFileAct(line, command, file))
      const ordinary = (['read', 'write'] as const).flatMap((access) => {
        const group = all.filter((file) => file.access === access && !isSpecial(file))
        return group.length === 0 ? [] : [filesAct(access, group, place)]
      })
      const doubts = odd.map((path) => unsure(line, `where "${path}" leads cannot be told`))
      const moved = command.moved && all.length > 0
      return [
        ...special,
        ...ordinary,
        ...doubts,
        ...(moved ? [unsure(line, `an earlier part may change what "${command.text}" touches`)] : []),
      ]
    },
  }
}

/** Whoever goes through the whole workspace with these changes what is protected in it, too. */
const sweeping = new Set(['rm', 'chmod', 'chown', 'chgrp'])

const withAll = ({ words }: SimpleCommand, real: string, { workspace }: Workplace): { protects?: string } =>
  real === workspace && sweeping.has(programName(words[0]) ?? '') ? { protects: 'all of the workspace' } : {}

function commandAct({ tool, source }: Line, command: SimpleCommand): Act {
  const { text, whole, also, mayRun, words } = command
  const name = programName(words[0])
  const opaque = words.some(({ known }) => !known)
  return {
    what: `"${whole}"`,
    tool,
    matches(pattern) {
      if ([text, whole, ...also].some((one) => says(pattern, one))) return 'yes'
      if (name === undefined || mayRun === true || mayRun.some((one) => says(pattern, one))) return 'maybe'
      return opaque && wildcard(pattern.split(' ')[0]!, name) ? 'maybe' : 'no'
    },
    covers: (pattern) => isAll(pattern) || isTheVery(pattern, command, source) || isMeant(pattern, command),
    otherwise: isFree(command)
      ? { decision: 'allow', because: `${name} does nothing by itself` }
      : { decision: 'ask', because: whyAsked(command, opaque) },
  }
}

const isAll = (pattern: string | undefined): pattern is undefined => pattern === undefined || /^\*+$/.test(pattern)

/** The rule has exactly this command, or exactly this command line. */
const isTheVery = (pattern: string, { text, whole, words }: SimpleCommand, source: string): boolean =>
  isExact(pattern) &&
  (wildcard(pattern, source) ||
    (words.every(({ known }) => known) && [text, whole].some((one) => wildcard(pattern, one))))

/** The whole program has to be named: "ls*" means ls with anything after it, not lsof. So has what it does beside. */
function isMeant(pattern: string, { text, words, hazard, named }: SimpleCommand): boolean {
  if (hazard !== undefined && fixedLength(pattern) < named) return false
  const program = words[0]?.known ? words[0].text : ''
  const first = pattern.split(' ')[0]!
  const isNamed = isExact(first.replace(/\*+$/, '')) && wildcard(first.replace(/\*+$/, ''), program)
  return (isNamed || isInFolder(first, program)) && says(pattern, text)
}

/** "head *" means head alone, too. */
const says = (pattern: string, text: string): boolean => wildcard(pattern, text) || wildcard(pattern, `${text} `)

/** "./scripts/*" means every script of that folder. */
const isInFolder = (first: string, program: string): boolean =>
  fixedLength(first) > first.indexOf('/') &&
  first.includes('/') &&
  wildcard(first, program) &&
  !program.split('/').includes('..')

function whyAsked({ whole, hazard }: SimpleCommand, opaque: boolean): string {
  if (hazard !== undefined) return `no rule has "${whole}" (${hazard.why})`
  if (opaque) return `what "${whole}" touches is known only when it runs`
  return `no rule allows "${whole}", and commands are asked for by default`
}

/** A file that a command reaches outside the workspace, or a protected one that it may write. */
function commandFileAct({ tool, source, place }: Line, command: SimpleCommand, file: Located): Act {
  const act = fileAct(fileWords[file.access], file, place)
  const because =
    file.outside && !writesProtected(file)
      ? `"${command.whole}" reaches outside the workspace: ${file.real}`
      : `"${command.whole}" may write ${file.protects}, which changes what agents may do`
  return {
    ...act,
    within: tool,
    otherwise: { decision: 'ask', because },
    covers(pattern, rule) {
      if (wildcard(rule.tool, act.tool) && act.covers(pattern, rule)) return true
      if (!wildcard(rule.tool, tool)) return false
      if (isAll(pattern)) return !writesProtected(file)
      // Through a link the words of the command do not say where it leads.
      if (isTheVery(pattern, command, source)) return file.literal === file.real
      return !writesProtected(file) && isMeant(pattern, command) && saysWhere(pattern, file, place)
    },
  }
}

/** A word of the pattern that leads out of the workspace means this file, or the folder whose files it means. */
const saysWhere = (pattern: string, { real }: Located, place: Workplace): boolean =>
  pattern
    .split(/[\s=]/)
    .filter((word) => /^(\/|~\/|\.\.)/.test(word))
    .flatMap((word) => [word.replace(/\*$/, '**/*'), word.replace(/(?<=.)\/\*+$/, '')])
    .some((word) => pathMatches(word, real, place))

/** Judged as for the file tools; a rule for the shell as a whole, or for this very command line, covers it too. */
function lineFileAct({ tool, source, place }: Line, file: Located): Act {
  const act = fileAct(fileWords[file.access], file, place)
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

const unsure = ({ tool, source }: Line, why: string): Act => ({
  what: 'the command',
  tool,
  matches: () => 'maybe',
  covers: (pattern) => isAll(pattern) || (isExact(pattern) && wildcard(pattern, source)),
  otherwise: { decision: 'ask', because: why },
})

/** What is not understood may touch any file. */
const unknownFiles = (line: Line, why: string): Act[] =>
  (['read', 'write'] as const).map((access) => ({
    ...unsure(line, why),
    tool: fileWords[access],
    byPattern: true,
    what: `${access === 'read' ? 'reading' : 'writing'} files`,
    within: line.tool,
    covers: () => true,
    otherwise: { decision: 'allow', because: 'no rule is about files' } satisfies Ruling,
  }))

const devices = new Set(['/dev/null', '/dev/stdin', '/dev/stdout', '/dev/stderr', '-'])

async function openedBy({ access, path, folders }: Redirection, place: LookedAt): Promise<Located[] | Refused> {
  if (devices.has(path) && path !== '-') return []
  const files = new Map<string, Located>()
  for (const folder of folders) {
    const found = await locate(place, { path: followPath(folder, path), access })
    if ('refuse' in found) return found
    files.set(found.real, found)
  }
  return [...files.values()]
}
