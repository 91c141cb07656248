import { createHash } from 'node:crypto'
import { childrenOf, type Node, parse } from './syntax.ts'

/** A stretch of a file that runs as a whole: the file itself, the body of a function, a branch. */
interface Block {
  readonly start: number
  readonly end: number
  readonly kind: 'file' | 'braces' | 'expression'
  /** A digest of the block's text, which stays the same when other parts of the file change. */
  readonly key: string
}

export const WHOLE = 'file'
export const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16)

export function blocksOf(source: string): Block[] {
  const blocks: Block[] = [{ start: 0, end: source.length, kind: 'file', key: WHOLE }]
  const add = ({ start, end }: Node, kind: Block['kind']) => {
    blocks.push({ start, end, kind, key: digest(source.slice(start, end)) })
  }
  const visit = (node: Node): void => {
    if (node.type === 'BlockStatement') add(node, 'braces')
    if (node.type === 'ArrowFunctionExpression' && node.expression === true) add(node.body as Node, 'expression')
    childrenOf(node).forEach(visit)
  }
  visit(parse(source))
  return blocks
}

/** The smallest block around a stretch of text. */
export function blockAround(blocks: readonly Block[], start: number, end: number): string {
  const around = blocks.filter((block) => block.start <= start && end <= block.end)
  return around.reduce((a, b) => (b.end - b.start < a.end - a.start ? b : a)).key
}

/**
 * The same program, which also writes each block it enters into `hits`. Line numbers stay. It appends to the file at
 * once, so that processes count too that are killed or have an environment of their own.
 */
export function watched(source: string, file: string, hits: string): string {
  const inserts = blocksOf(source).flatMap((block) => {
    if (block.kind === 'file') return []
    if (block.kind === 'braces') return [{ at: block.start + 1, text: ` __hit('${block.key}');` }]
    return [
      { at: block.start, text: `(__hit('${block.key}'), ` },
      { at: block.end, text: ')' },
    ]
  })
  let text = source
  for (const { at, text: added } of inserts.sort((a, b) => b.at - a.at))
    text = text.slice(0, at) + added + text.slice(at)
  return `${text.trimEnd()}\n${watcher(file, hits)}\n`
}

// A function declaration and an import are hoisted, so they may stand at the end.
const watcher = (file: string, hits: string): string =>
  `import { appendFileSync as __append } from 'node:fs'
function __hit(block) {
  const seen = (globalThis.__mutantsSeen ??= new Set())
  const line = (globalThis.__mutantsTest ? 'T' : 'P') + ${JSON.stringify(`\t${file}\t`)} + block
  if (seen.has(line)) return
  seen.add(line)
  try { __append(${JSON.stringify(hits)}, line + '\\n') } catch {}
}
__hit('${WHOLE}')`
