import { whyUnsure } from './checks.ts'
import { loadGrammar, type Node } from './grammar.ts'
import { addCommand, push, type Reading, type Redirection, type SimpleCommand } from './reading.ts'
import { unknown, type Word, wordOf } from './words.ts'

export type { Folder, Redirection, SimpleCommand } from './reading.ts'

/** A command line taken apart: everything that may run and every file the shell itself opens. */
export interface Script {
  readonly commands: readonly SimpleCommand[]
  readonly redirections: readonly Redirection[]
  /** Why the script is not fully understood; what was found is still listed. */
  readonly unsure?: string
}

const LENGTH = 50_000
const DEPTH = 8

export async function parseScript(source: string): Promise<Script> {
  const grammar = await loadGrammar()
  const commands: SimpleCommand[] = []
  const redirections: Redirection[] = []
  let unsure: string | undefined
  const doubt = (why: string): void => {
    unsure ??= why
  }
  readScript(source, { grammar, commands, redirections, doubt, readScript, folders: [[]], depth: 0, loops: 0 })
  return { commands, redirections, ...(unsure === undefined ? {} : { unsure }) }
}

function readScript(source: string, reading: Reading): void {
  if (source.length > LENGTH || reading.depth > DEPTH) {
    reading.doubt('it is too long or too deep to take apart')
    return
  }
  const read = reading.grammar(source, (root) => {
    const why = whyUnsure(root, source)
    if (why !== undefined) reading.doubt(why)
    statement(root, reading)
    return true
  })
  if (read === undefined) reading.doubt('it cannot be parsed')
}

type Reader = (node: Node, reading: Reading) => void

function statement(node: Node, reading: Reading): void {
  if (node.isNamed) (readers.get(node.type) ?? notUnderstood)(node, reading)
}

const children: Reader = (node, reading) => {
  for (const child of node.children) statement(child!, reading)
}

const notUnderstood: Reader = (node, reading) => {
  reading.doubt(`it has a part that is not understood (${node.type})`)
  inside(node, reading)
}

const command: Reader = (node, reading) => {
  const words: Word[] = []
  const assignments: string[] = []
  for (const child of node.children) {
    if (child!.type.endsWith('_redirect')) statement(child!, reading)
    else inside(child!, reading)
    if (child!.type === 'variable_assignment') assignments.push(`${child!.text} `)
    else if (!child!.type.endsWith('_redirect')) words.push(wordOf(child!))
  }
  const hazard = assignments.length > 0 ? 'it sets a variable for the program' : undefined
  addCommand(words, reading, hazard, assignments.join(''))
}

const environment: Reader = (node, reading) => {
  inside(node, reading)
  const hazard = 'it changes the environment of what follows'
  push(reading, { words: [unknown(node.text)], text: node.text, folders: reading.folders, hazard })
}

const definition: Reader = (node, reading) => {
  reading.doubt('it defines a function')
  children(node, reading)
}

const block: Reader = (node, reading) => {
  if (node.child(0)?.type === '((') reading.doubt('it computes with variables')
  children(node, reading)
}

const loop: Reader = (node, reading) => {
  // Programs read variables whose names are in capitals.
  if (/[A-Z]/.test(node.childForFieldName('variable')?.text ?? '')) reading.doubt('it sets a variable in a loop')
  reading.loops += 1
  choices(node, reading)
  reading.loops -= 1
}

/** Words and statements side by side. */
const choices: Reader = (node, reading) => {
  for (const child of node.children) {
    if (readers.has(child!.type)) statement(child!, reading)
    else inside(child!, reading)
  }
}

const redirection: Reader = (node, reading) => {
  const operator = node.children.find((child) => !child?.isNamed)?.type ?? ''
  const target = node.childForFieldName('destination') ?? node.children.findLast((child) => child?.isNamed)
  if (target === null || target === undefined) {
    reading.doubt('it has a redirection without a file')
    return
  }
  inside(target, reading)
  if (/^[<>]&-?$/.test(operator) && /^\d*-?$/.test(target.text)) return
  const access = operator === '<' || operator === '<&' ? 'read' : 'write'
  reading.redirections.push({ access, target: wordOf(target), folders: reading.folders })
}

/** Operators of ${…} that only choose or cut text. */
const choosing = new Set([':-', '-', ':+', '+', '#', '##', '%', '%%', '/', '//', ':', '}', '${'])

/** Words hold commands too: substitutions at any depth, and expansions that evaluate or assign. */
const inside: Reader = (node, reading) => {
  if (node.type === 'command_substitution' || node.type === 'process_substitution') {
    children(node, reading)
    return
  }
  const evaluates = node.children.some((child) => !child!.isNamed && !choosing.has(child!.type.trim()))
  if (node.type === 'expansion' && evaluates) reading.doubt('it has an expansion that may evaluate text')
  if (node.type === 'arithmetic_expansion' && node.descendantsOfType(variables).length > 0)
    reading.doubt('it computes with variables')
  if (node.type === 'subscript' || node.type === 'array') reading.doubt('it uses arrays')
  for (const child of node.children) inside(child!, reading)
}

const variables = ['variable_name', 'simple_expansion', 'expansion', 'word', 'subscript']

/** Only what is named here is understood; any other construct is a doubt. */
const readers = new Map<string, Reader>([
  ...['comment', 'heredoc_start', 'heredoc_end', 'heredoc_content'].map((type) => [type, () => {}] as const),
  ...['program', 'list', 'pipeline', 'subshell', 'negated_command', 'redirected_statement', 'heredoc_redirect'].map(
    (type) => [type, children] as const,
  ),
  ...['if_statement', 'elif_clause', 'else_clause', 'do_group'].map((type) => [type, children] as const),
  ...['variable_assignment', 'variable_assignments', 'declaration_command', 'unset_command'].map(
    (type) => [type, environment] as const,
  ),
  ...['test_command', 'herestring_redirect', 'heredoc_body'].map((type) => [type, inside] as const),
  ...['case_statement', 'case_item'].map((type) => [type, choices] as const),
  ...['for_statement', 'while_statement'].map((type) => [type, loop] as const),
  ['command', command],
  ['file_redirect', redirection],
  ['function_definition', definition],
  ['compound_statement', block],
])
