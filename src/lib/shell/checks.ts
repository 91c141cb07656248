import type { Node } from './grammar.ts'

/** A text that the grammar and bash could read differently counts as not understood. */

/** Line ends, tabs and spaces are the only white space both agree on; control characters hide what is there. */
const strange = /[\p{C}--[\n\t]]|[\p{Z}--[ ]]/v

/** These nodes are taken as a whole; whoever evaluates the word looks inside. */
const atoms = new Set([
  'string',
  'raw_string',
  'ansi_c_string',
  'translated_string',
  'expansion',
  'simple_expansion',
  'arithmetic_expansion',
  'heredoc_body',
  'heredoc_content',
  'comment',
])

export function whyUnsure(root: Node, source: string): string | undefined {
  if (strange.test(source)) return 'it has control characters or unusual spaces'
  if (root.hasError) return 'it is not a complete bash command'
  let end = 0
  let why: string | undefined
  const visit = (node: Node): void => {
    if (node.childCount === 0 || atoms.has(node.type)) {
      if (node.startIndex > end && !isGap(source.slice(end, node.startIndex)))
        why ??= 'a part of it belongs to no command'
      if (node.type === 'comment' && !/(^|[\s;&|()])$/.test(source.slice(0, node.startIndex)))
        why ??= 'it has a comment in an unusual place'
      if (evaluated.has(node.type)) why ??= overlooked(node)
      end = Math.max(end, node.endIndex)
      return
    }
    if (node.type === 'heredoc_redirect') why ??= heredoc(node, source)
    for (const child of node.children) visit(child!)
  }
  visit(root)
  if (!isGap(source.slice(end))) why ??= 'a part of it belongs to no command'
  return why
}

/** Bash finds substitutions anywhere in these nodes; the grammar overlooks some. */
const evaluated = new Set(['string', 'translated_string', 'expansion', 'arithmetic_expansion', 'heredoc_body'])

function overlooked(node: Node): string | undefined {
  const start = node.parent?.children.find((child) => child?.type === 'heredoc_start')?.text
  if (node.type === 'heredoc_body' && start !== undefined && /['"\\]/.test(start)) return undefined
  const bare = node.text.replace(/\\[\s\S]/g, '')
  const ticks = bare.split('`').length - 1
  const dollars = bare.match(/\$\((?!\()/g)?.length ?? 0
  const seen = node.descendantsOfType('command_substitution').length
  return ticks / 2 + dollars === seen ? undefined : 'it has a substitution in an unusual place'
}

const isGap = (text: string): boolean => /^(\s|\\\n)*$/.test(text)

/** The end of a here-document has to be where bash sees it. */
function heredoc(node: Node, source: string): string | undefined {
  const start = node.children.find((child) => child?.type === 'heredoc_start')?.text ?? ''
  const name = /^(?:(\w+)|'(\w+)'|"(\w+)"|\\(\w+))$/.exec(start)?.slice(1).find(Boolean)
  if (name === undefined) return 'it has a here-document with an unusual end'
  const tabs = node.child(0)?.type === '<<-'
  const first = source.indexOf('\n', node.startIndex)
  const lines = source.slice(first + 1).split('\n')
  const ends = lines.findIndex((line) => (tabs ? line.replace(/^\t+/, '') : line) === name)
  const last = node.children.find((child) => child?.type === 'heredoc_end')
  if (first < 0 || ends < 0 || last === undefined || last === null) return 'it has a here-document without an end'
  const length = lines.slice(0, ends + 1).join('\n').length
  return first + 1 + length === last.endIndex ? undefined : 'it has a here-document whose end is unclear'
}
