import { whyUnsure } from './checks.ts'
import { type Grammar, loadGrammar, type Node } from './grammar.ts'
import { hazardOf } from './hazards.ts'
import { executed, programName, unwrap } from './unwrap.ts'
import { quoted, unknown, type Word, wordOf } from './words.ts'

/** Where a command may run: the steps of `cd` from where the whole script starts. */
export type Folder = readonly Word[]

export interface SimpleCommand {
  /** Program and arguments, wrappers taken off. */
  readonly words: readonly Word[]
  /** The words by one space, each in a form that reads back as itself. */
  readonly text: string
  /** Each place it may run in: a `cd` before it may have worked or not. */
  readonly folders: readonly Folder[]
  /** Why a rule that names only the program does not cover it. */
  readonly hazard?: string
  /** For what runs something that cannot be seen: what that may be. */
  readonly mayRun?: readonly string[]
}

export interface Redirection {
  readonly access: 'read' | 'write'
  readonly target: Word
  readonly folders: readonly Folder[]
}

/** A command line taken apart: everything that may run and every file the shell itself opens. */
export interface Script {
  readonly commands: readonly SimpleCommand[]
  readonly redirections: readonly Redirection[]
  /** Why it is not fully understood; what was found is still listed. */
  readonly unsure?: string
}

const LENGTH = 50_000
const COMMANDS = 200
const FOLDERS = 8
const DEPTH = 8

export async function parseScript(source: string): Promise<Script> {
  const grammar = await loadGrammar()
  const commands: SimpleCommand[] = []
  const redirections: Redirection[] = []
  let unsure: string | undefined
  const doubt = (why: string): void => {
    unsure ??= why
  }
  readInto(source, { grammar, commands, redirections, doubt, folders: [[]], depth: 0, loops: 0 })
  return { commands, redirections, ...(unsure === undefined ? {} : { unsure }) }
}

interface Reading {
  readonly grammar: Grammar
  readonly commands: SimpleCommand[]
  readonly redirections: Redirection[]
  doubt(why: string): void
  folders: readonly Folder[]
  readonly depth: number
  loops: number
}

function readInto(source: string, reading: Reading): void {
  if (source.length > LENGTH || reading.depth > DEPTH) return reading.doubt('it is too long or too deep to take apart')
  // Sources that begin with a tab or newline are read as they are; positions are those of this very text.
  const read = reading.grammar(source, (root) => {
    const why = whyUnsure(root, source)
    if (why !== undefined) reading.doubt(why)
    statement(root, reading)
    return true
  })
  if (read === undefined) reading.doubt('it cannot be parsed')
}

/** Only what is named here is understood; any other construct is a doubt. */
function statement(node: Node, reading: Reading): void {
  if (!node.isNamed) return
  switch (node.type) {
    case 'comment':
    case 'heredoc_start':
    case 'heredoc_end':
    case 'heredoc_content':
      return
    case 'command':
      return command(node, reading)
    case 'variable_assignment':
    case 'variable_assignments':
    case 'declaration_command':
    case 'unset_command':
      return environment(node, reading)
    case 'test_command':
    case 'case_item':
      return inside(node, reading)
    case 'file_redirect':
      return redirection(node, reading)
    case 'herestring_redirect':
    case 'heredoc_body':
      return inside(node, reading)
    case 'function_definition':
      reading.doubt('it defines a function')
      return children(node, reading)
    case 'for_statement':
      return loop(node, reading)
    case 'while_statement':
      reading.loops += 1
      children(node, reading)
      reading.loops -= 1
      return
    case 'compound_statement':
      if (node.child(0)?.type === '((') reading.doubt('it computes with variables')
      return children(node, reading)
    case 'program':
    case 'list':
    case 'pipeline':
    case 'subshell':
    case 'negated_command':
    case 'redirected_statement':
    case 'heredoc_redirect':
    case 'if_statement':
    case 'elif_clause':
    case 'else_clause':
    case 'do_group':
      return children(node, reading)
    case 'case_statement':
      return inside(node, reading)
    default:
      reading.doubt(`it has a part that is not understood (${node.type})`)
      return inside(node, reading)
  }
}

function children(node: Node, reading: Reading): void {
  for (const child of node.children) statement(child!, reading)
}

function command(node: Node, reading: Reading): void {
  const words: Word[] = []
  let assigns = false
  for (const child of node.children) {
    if (child!.type === 'variable_assignment') {
      assigns = true
      inside(child!, reading)
    } else if (child!.type.endsWith('_redirect')) statement(child!, reading)
    else {
      words.push(wordOf(child!))
      inside(child!, reading)
    }
  }
  const text = node.children
    .filter((child) => child?.type === 'variable_assignment')
    .map((child) => `${child!.text} `)
    .join('')
  add(words, reading, assigns ? 'it sets a variable for the program' : undefined, text)
}

/** A command and, where it runs another, that one too. */
function add(words: readonly Word[], reading: Reading, given?: string, before = ''): void {
  if (reading.commands.length >= COMMANDS) return reading.doubt(`it has more than ${COMMANDS} commands`)
  const { folders } = reading
  const wrapped = unwrap(words)
  // Called by a path it may be any program of that name.
  if (wrapped !== undefined && words[0]?.text.includes('/')) {
    const text = before + words.map(quoted).join(' ')
    reading.commands.push({ words, text, folders, hazard: `${words[0].text} may run another command` })
  }
  if (wrapped?.runs === 'script') {
    if (given !== undefined)
      reading.commands.push({ words, text: before + words.map(quoted).join(' '), folders, hazard: given })
    return readInto(wrapped.source, { ...reading, depth: reading.depth + 1 })
  }
  if (wrapped?.runs === 'command') {
    const inner = wrapped.folder === undefined ? reading : { ...reading, folders: step(folders, wrapped.folder, reading) }
    return add(wrapped.words, inner, given ?? (wrapped.plain ? undefined : 'it runs with other variables'), before)
  }
  for (const inner of executed(words)) add(inner, reading)
  const opaque = wrapped?.runs === 'unknown'
  const hazard = given ?? (opaque ? `${words[0]?.text} runs another command` : hazardOf(words))
  reading.commands.push({
    words,
    text: before + words.map(quoted).join(' '),
    folders,
    ...(hazard === undefined ? {} : { hazard }),
    ...(opaque ? { mayRun: tails(words) } : {}),
  })
  changeFolder(words, reading)
}

const tails = (words: readonly Word[]): string[] =>
  words.slice(1, 12).map((_, at) => words.slice(at + 1).map(quoted).join(' '))

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

function environment(node: Node, reading: Reading): void {
  inside(node, reading)
  if (reading.commands.length >= COMMANDS) return reading.doubt(`it has more than ${COMMANDS} commands`)
  reading.commands.push({
    words: [unknown(node.text)],
    text: node.text,
    folders: reading.folders,
    hazard: 'it changes the environment of what follows',
  })
}

function loop(node: Node, reading: Reading): void {
  // Names in capitals are those that programs look at.
  if (/[A-Z]/.test(node.childForFieldName('variable')?.text ?? 'A')) reading.doubt('it sets a variable in a loop')
  reading.loops += 1
  for (const child of node.children) {
    if (child!.type === 'do_group' || child!.type === 'compound_statement') statement(child!, reading)
    else inside(child!, reading)
  }
  reading.loops -= 1
}

function redirection(node: Node, reading: Reading): void {
  const operator = node.children.find((child) => !child?.isNamed)?.type ?? ''
  const target = node.childForFieldName('destination') ?? node.children.findLast((child) => child?.isNamed)
  if (target === null || target === undefined) return reading.doubt('it has a redirection without a file')
  inside(target, reading)
  if (/^[<>]&-?$/.test(operator) && /^\d*-?$/.test(target.text)) return
  const access = operator === '<' || operator === '<&' ? 'read' : 'write'
  reading.redirections.push({ access, target: wordOf(target), folders: reading.folders })
}

/** Operators of ${…} that only choose or cut text. */
const choosing = new Set([':-', '-', ':+', '+', '#', '##', '%', '%%', '/', '//', ':', '}', '${', '#'])

/** Words hold commands too: substitutions at any depth, and expansions that evaluate or assign. */
function inside(node: Node, reading: Reading): void {
  switch (node.type) {
    case 'command_substitution':
    case 'process_substitution':
      return children(node, reading)
    case 'case_item':
    case 'case_statement':
      for (const child of node.children) {
        if (statements.has(child!.type)) statement(child!, reading)
        else inside(child!, reading)
      }
      return
    case 'expansion':
      if (node.children.some((child) => !child!.isNamed && !choosing.has(child!.type.trim())))
        reading.doubt('it has an expansion that may evaluate text')
      break
    case 'arithmetic_expansion':
      if (node.descendantsOfType(['variable_name', 'simple_expansion', 'expansion', 'word', 'subscript']).length > 0)
        reading.doubt('it computes with variables')
      break
    case 'subscript':
    case 'array':
      reading.doubt('it uses arrays')
  }
  for (const child of node.children) inside(child!, reading)
}

const statements = new Set([
  ...['command', 'list', 'pipeline', 'subshell', 'negated_command', 'redirected_statement', 'if_statement'],
  ...['for_statement', 'while_statement', 'compound_statement', 'variable_assignment', 'declaration_command'],
  ...['unset_command', 'test_command', 'case_statement', 'case_item', 'function_definition', 'c_style_for_statement'],
])
