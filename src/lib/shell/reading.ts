import type { Grammar } from './grammar.ts'
import { hazardOf } from './hazards.ts'
import { executed, programName, unwrap } from './unwrap.ts'
import { quoted, unknown, type Word } from './words.ts'

/** Where a command may run, as the steps of `cd` from the folder in which the script starts. */
export type Folder = readonly Word[]

export interface SimpleCommand {
  /** Program and arguments, wrappers taken off. */
  readonly words: readonly Word[]
  /** The words, quoted where needed, with one space between them. */
  readonly text: string
  /** Each folder in which the command may run: a `cd` before it may have worked or not. */
  readonly folders: readonly Folder[]
  /** Why a rule that names only the program does not cover the command. */
  readonly hazard?: string
  /** The commands that a wrapper we cannot see through may run. */
  readonly mayRun?: readonly string[]
}

export interface Redirection {
  readonly access: 'read' | 'write'
  readonly target: Word
  readonly folders: readonly Folder[]
}

/** What has been found so far, and where the next command would run. */
export interface Reading {
  readonly grammar: Grammar
  readonly commands: SimpleCommand[]
  readonly redirections: Redirection[]
  doubt(why: string): void
  /** Reads a text that the script hands to another shell. */
  readScript(source: string, reading: Reading): void
  folders: readonly Folder[]
  readonly depth: number
  loops: number
}

const COMMANDS = 200
const FOLDERS = 8

export function push(reading: Reading, command: SimpleCommand): void {
  if (reading.commands.length < COMMANDS) reading.commands.push(command)
  else reading.doubt(`it has more than ${COMMANDS} commands`)
}

/** Adds a command and, when it runs another, that one too. */
export function addCommand(words: readonly Word[], reading: Reading, given?: string, before = ''): void {
  const { folders } = reading
  const text = before + words.map(quoted).join(' ')
  const wrapped = unwrap(words)
  // A wrapper that is called by its path may be any program of that name.
  if (wrapped !== undefined && words[0]?.text.includes('/'))
    push(reading, { words, text, folders, hazard: `${words[0].text} may run another command` })
  if (wrapped?.runs === 'script') {
    if (given !== undefined) push(reading, { words, text, folders, hazard: given })
    reading.readScript(wrapped.source, { ...reading, depth: reading.depth + 1 })
    return
  }
  if (wrapped?.runs === 'command') {
    const { folder } = wrapped
    const inner = folder === undefined ? reading : { ...reading, folders: step(folders, folder, reading) }
    addCommand(wrapped.words, inner, given ?? (wrapped.plain ? undefined : 'it runs with other variables'), before)
    return
  }
  for (const inner of executed(words)) addCommand(inner, reading)
  const opaque = wrapped?.runs === 'unknown'
  const hazard = given ?? (opaque ? `${words[0]?.text} runs another command` : hazardOf(words))
  push(reading, {
    words,
    text,
    folders,
    ...(hazard === undefined ? {} : { hazard }),
    ...(opaque ? { mayRun: tails(words) } : {}),
  })
  changeFolder(words, reading)
}

const TAILS = 12

const tails = (words: readonly Word[]): string[] =>
  words.slice(1, TAILS).map((_, at) =>
    words
      .slice(at + 1)
      .map(quoted)
      .join(' '),
  )

function changeFolder(words: readonly Word[], reading: Reading): void {
  const name = programName(words[0])
  if (name !== 'cd' && name !== 'pushd' && name !== 'popd') return
  if (reading.loops > 0) reading.doubt('it changes the folder in a loop')
  const target = words.slice(1).find(({ text }) => !/^-[LPe@]+$|^--$/.test(text))
  reading.folders = step(reading.folders, name === 'popd' ? unknown('popd') : (target ?? home(name)), reading)
}

const home = (name: string): Word =>
  name === 'cd' ? { text: '~', kind: 'literal', tilde: true } : unknown('the folder before')

function step(folders: readonly Folder[], to: Word, reading: Reading): readonly Folder[] {
  const all = [...folders, ...folders.map((folder) => [...folder, to.text === '-' ? unknown('-') : to])]
  if (all.length > FOLDERS) reading.doubt('it changes the folder too often')
  return all.slice(0, FOLDERS)
}
