import { basename } from 'node:path'
import { quotedChars } from './atoms.ts'
import { refuseChanging } from './builtins.ts'
import { type CommandParts, type SimpleCommand, seeThrough } from './commands.ts'
import { assigned, expand, type KnownValues } from './expand.ts'
import { changeFolder, type Folders } from './folders.ts'
import { seenInPlace, withFolders } from './links.ts'
import { listedBy } from './listing.ts'
import { parse } from './parse.ts'
import { seenRemote } from './remotes.ts'
import { type Atom, NotUnderstood, type RawWord, type Redirect, type ShellNode, TooMuch, Trapped } from './syntax.ts'
import { programName, quoted } from './words.ts'
import { withNames } from './xargs.ts'

export type { SimpleCommand } from './commands.ts'

/** A file that the shell itself opens. */
export interface Redirection {
  readonly access: 'read' | 'write'
  readonly path: string
  readonly folders: readonly string[]
  readonly moved: boolean
}

/** A command line taken apart: everything that may run and every file the shell itself opens. */
export interface Script {
  readonly commands: readonly SimpleCommand[]
  readonly redirections: readonly Redirection[]
  /** Why the script is not fully understood; what was found is still listed. */
  readonly unsure?: string
  /** Its commands depend on a loop, so that they cannot be named one by one. */
  readonly repeats: boolean
  /** What it does depends on how files are named, so that no rule can have it word for word. */
  readonly trapped: boolean
}

const COMMANDS = 200
const STEPS = 1000
const WORDS = 2000
const LOOKS = 20_000
const DEPTH = 8

/** Takes a command line apart as bash would run it in this folder. */
export function readScript(source: string, place: { folder: string; home: string | undefined }): Script {
  const reading: Reading = {
    commands: [],
    redirections: [],
    unsure: undefined,
    repeats: false,
    atOnce: false,
    depth: 0,
    trapped: false,
    steps: 0,
    words: 0,
    looks: { left: LOOKS, folders: [] },
  }
  const scene = { reading, home: place.home, variables: new Map() }
  try {
    readSource(source, { ok: [place.folder], failed: [] }, scene)
  } catch (error) {
    if (!(error instanceof TooMuch)) throw error
    reading.unsure = error.message
  }
  const { commands, redirections, unsure, repeats, trapped } = reading
  const planted = commands.findIndex(({ plants }) => plants)
  const isMoved = (at: number): boolean => planted >= 0 && at !== planted && (reading.atOnce || at > planted)
  return {
    commands: commands.map((command, at) => ({ ...command, moved: isMoved(at) && !command.steady })),
    redirections: redirections.map(({ before, ...file }) => ({ ...file, moved: isMoved(before) })),
    repeats,
    trapped,
    ...(unsure === undefined ? {} : { unsure }),
  }
}

interface Reading {
  readonly commands: SimpleCommand[]
  readonly redirections: (Omit<Redirection, 'moved'> & { before: number })[]
  unsure: string | undefined
  repeats: boolean
  trapped: boolean
  /** Parts of it run side by side. */
  atOnce: boolean
  depth: number
  /** How many statements were read; those of a loop count each time. */
  steps: number
  words: number
  readonly looks: KnownValues['looks']
}

interface Scene {
  readonly reading: Reading
  readonly home: string | undefined
  readonly variables: ReadonlyMap<string, string>
  /** The folders whose files the command before in the pipe prints. */
  readonly listed?: readonly string[] | undefined
}

/** Doubts end the reading of one part, not of the rest: what is denied elsewhere is denied all the same. */
function trying<T>({ reading }: Scene, otherwise: T, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof NotUnderstood) || error instanceof TooMuch) throw error
    reading.unsure ??= error.message
    reading.trapped ||= error instanceof Trapped
    return otherwise
  }
}

function readSource(source: string, folders: Folders, scene: Scene): Folders {
  return trying(scene, folders, () => {
    scene.reading.depth += 1
    if (scene.reading.depth > DEPTH) throw new NotUnderstood('it is too deep to take apart')
    const after = readAll(parse(source), folders, scene)
    scene.reading.depth -= 1
    return after
  })
}

const either = ({ ok, failed }: Folders): string[] => [...new Set([...ok, ...failed])]
const same = (folders: readonly string[]): Folders => ({ ok: folders, failed: folders })

function readAll(statements: readonly ShellNode[], folders: Folders, scene: Scene): Folders {
  return statements.reduce((before, statement) => readOne(statement, either(before), scene), folders)
}

/** Where the next command would run when this one succeeds, and when it fails. */
function readOne(statement: ShellNode, folders: readonly string[], scene: Scene): Folders {
  const { reading } = scene
  reading.steps += 1
  if (reading.steps > STEPS) throw new TooMuch(`it has more than ${STEPS} parts`)
  switch (statement.kind) {
    case 'simple':
      return trying(scene, same(folders), () => readSimple(statement, folders, scene))
    case 'and': {
      const left = readOne(statement.left, folders, scene)
      const right = readOne(statement.right, left.ok, scene)
      return { ok: right.ok, failed: either({ ok: left.failed, failed: right.failed }) }
    }
    case 'or': {
      const left = readOne(statement.left, folders, scene)
      const right = readOne(statement.right, left.failed, scene)
      return { ok: either({ ok: left.ok, failed: right.ok }), failed: right.failed }
    }
    case 'not': {
      const { ok, failed } = readOne(statement.of, folders, scene)
      return { ok: failed, failed: ok }
    }
    case 'pipe':
      reading.atOnce = true
      readPipe(statement.parts, folders, scene)
      return same(folders)
    case 'background':
      reading.atOnce = true
      readOne(statement.of, folders, scene)
      return same(folders)
    case 'subshell':
      readRedirects(statement.redirects, folders, scene)
      readAll(statement.of, same(folders), scene)
      return same(folders)
    case 'group':
      readRedirects(statement.redirects, folders, scene)
      return readAll(statement.of, same(folders), scene)
    case 'if': {
      readRedirects(statement.redirects, folders, scene)
      const { ok, failed } = readAll(statement.when, same(folders), scene)
      const then = readAll(statement.then, same(ok), scene)
      return same([...new Set([...either(then), ...either(readAll(statement.otherwise, same(failed), scene))])])
    }
    case 'for':
      return trying(scene, same(folders), () => readLoop(statement, folders, scene))
  }
}

function readPipe(parts: readonly ShellNode[], folders: readonly string[], scene: Scene): void {
  let listed: readonly string[] | undefined
  for (const part of parts) {
    const { commands } = scene.reading
    const before = commands.length
    readOne(part, folders, { ...scene, listed })
    const [only, ...more] = commands.slice(before)
    listed = only && more.length === 0 && part.kind === 'simple' ? listedBy(only) : undefined
  }
}

function readLoop(loop: Extract<ShellNode, { kind: 'for' }>, folders: readonly string[], scene: Scene): Folders {
  readRedirects(loop.redirects, folders, scene)
  if (scene.variables.has(loop.name)) throw new NotUnderstood('it has two loops over one variable')
  scene.reading.repeats = true
  let now = same(folders)
  for (const raw of loop.values) {
    const [folder = ''] = folders
    const { words, pattern } = expand(raw, knownIn(folder, scene))
    if (pattern && folders.length > 1) throw new NotUnderstood('it has a loop over files of more than one folder')
    for (const { text, known } of words) {
      if (!known) throw new NotUnderstood('it has a loop over what is known only when it runs')
      const variables = new Map([...scene.variables, [loop.name, text]])
      const after = readAll(loop.body, now, { ...scene, variables })
      now = same([...new Set([...either(now), ...either(after)])])
    }
  }
  return now
}

const knownIn = (folder: string, { home, variables, reading }: Scene): KnownValues => ({
  folder,
  home,
  variables,
  looks: reading.looks,
})

function readSimple(
  statement: Extract<ShellNode, { kind: 'simple' }>,
  folders: readonly string[],
  scene: Scene,
): Folders {
  readRedirects(statement.redirects, folders, scene)
  if (statement.words.length === 0) {
    if (statement.assignments.length > 0) throw new NotUnderstood('it sets variables for what follows')
    return same(folders)
  }
  const raws = statement.words.map((raw) => withText(raw, folders, scene))
  const variables = statement.assignments.map(({ name, value }) => {
    const text = assigned(value, knownIn('', scene))
    return { name, value: text, text: `${name}=${text === '' ? '' : quoted(text)}` }
  })
  // What a pattern stands for differs from folder to folder.
  const made = folders.map((folder) => raws.map((raw) => expand(raw, knownIn(folder, scene))))
  const isOne = !made.flat().some(({ pattern }) => pattern)
  const groups = isOne
    ? [{ tokens: made[0] ?? [], folders }]
    : made.map((tokens, at) => ({ tokens, folders: [folders[at]!] }))
  let after = same(folders)
  for (const group of groups) after = addCommand({ ...group, variables }, scene, after)
  return after
}

/** Reads the commands inside a word. The text of `"$(cat <<'EOF' …)"` is known; the output of others is not. */
function withText(raw: RawWord, folders: readonly string[], scene: Scene): RawWord {
  const atoms = raw.atoms.flatMap((atom): readonly Atom[] => {
    if (atom.kind !== 'output') return [atom]
    readAll(atom.of, same(folders), scene)
    const text = atom.quoted ? documentOf(atom.of) : undefined
    return text === undefined ? [atom] : quotedChars(text.replace(/\n+$/, ''))
  })
  return { ...raw, atoms }
}

function documentOf([statement, ...more]: readonly ShellNode[]): string | undefined {
  if (statement?.kind !== 'simple' || more.length > 0 || statement.assignments.length > 0) return undefined
  const [redirect, ...others] = statement.redirects
  const isCat = statement.words.length === 1 && statement.words[0]?.source === 'cat'
  return isCat && others.length === 0 && redirect?.kind === 'text' ? redirect.text : undefined
}

function addCommand(given: CommandParts, scene: Scene, before: Folders): Folders {
  const { reading } = scene
  reading.words += given.tokens.flatMap(({ words }) => words).length
  if (reading.words > WORDS) throw new TooMuch(`it has more than ${WORDS} words`)
  const first = given.tokens[0]?.words[0]
  const found = withNames(given, scene.listed) ?? seeThrough(given)
  if ('script' in found) {
    readSource(found.script, same(given.folders), { ...scene, variables: new Map() })
    return before
  }
  if (reading.commands.length >= COMMANDS) throw new TooMuch(`it has more than ${COMMANDS} commands`)
  const seen = seenRemote(seenInPlace(found), reading.commands)
  reading.commands.push(withFolders(seen, reading.looks.folders.splice(0)))
  if (!first?.known) throw new NotUnderstood('which program runs is known only when it runs')
  refuseChanging(found.words)
  if (programName(found.words[0]) !== 'cd') return before
  if (given.tokens.some(({ pattern }) => pattern)) throw new NotUnderstood('where cd leads is known only when it runs')
  return changeFolder(found.words, before)
}

function readRedirects(redirects: readonly Redirect[], folders: readonly string[], scene: Scene): void {
  for (const redirect of redirects) trying(scene, undefined, () => readRedirect(redirect, folders, scene))
}

function readRedirect(redirect: Redirect, folders: readonly string[], scene: Scene): void {
  if (redirect.kind === 'text') {
    readAll(redirect.of, same(folders), scene)
    return
  }
  const target = withText(redirect.target, folders, scene)
  const { words, pattern } = expand(target, knownIn(folders[0] ?? '', scene))
  const [word] = words
  if (word === undefined || words.length !== 1 || !word.known || pattern)
    throw new NotUnderstood(`where ${target.source} leads is known only when it runs`)
  if (basename(word.text).startsWith('-')) throw new NotUnderstood('it makes a file that is named like an option')
  const before = scene.reading.commands.length
  scene.reading.redirections.push({ access: redirect.access, path: word.text, folders, before })
}
