import { childrenOf, type Node, parse } from './syntax.ts'

/** A stretch of a file that runs as a whole: the file itself, the body of a function, a branch. */
export interface Block {
  readonly start: number
  readonly end: number
  readonly kind: 'file' | 'braces' | 'expression'
}

/** The file comes first; the number of a block is its place in this list. */
export function blocksOf(source: string): Block[] {
  const blocks: Block[] = [{ start: 0, end: source.length, kind: 'file' }]
  const visit = (node: Node): void => {
    if (node.type === 'BlockStatement') blocks.push({ start: node.start, end: node.end, kind: 'braces' })
    if (node.type === 'ArrowFunctionExpression' && node.expression === true) {
      const body = node.body as Node
      blocks.push({ start: body.start, end: body.end, kind: 'expression' })
    }
    childrenOf(node).forEach(visit)
  }
  visit(parse(source))
  return blocks
}

/** The smallest block around a stretch of text. */
export function blockAround(blocks: readonly Block[], start: number, end: number): number {
  let found = 0
  for (const [number, block] of blocks.entries()) {
    const holds = block.start <= start && end <= block.end
    if (holds && block.end - block.start < blocks[found]!.end - blocks[found]!.start) found = number
  }
  return found
}

/**
 * The same program, which writes down in `hits` each block it enters. Line numbers stay. It appends to a file at once, so
 * that processes count which are killed, or were started with an environment of their own.
 */
export function watched(source: string, file: string, hits: string): string {
  const inserts = blocksOf(source).flatMap((block, number) => {
    if (block.kind === 'file') return []
    if (block.kind === 'braces') return [{ at: block.start + 1, text: ` __hit(${number});` }]
    return [
      { at: block.start, text: `(__hit(${number}), ` },
      { at: block.end, text: ')' },
    ]
  })
  let text = source
  for (const { at, text: added } of inserts.sort((a, b) => b.at - a.at))
    text = text.slice(0, at) + added + text.slice(at)
  return `${text.trimEnd()}\n${watcher(file, hits)}\n`
}

// A function declaration and an import are there before the first line of the file runs.
const watcher = (file: string, hits: string): string =>
  `import { appendFileSync as __append } from 'node:fs'
function __hit(block) {
  const seen = (globalThis.__mutantsSeen ??= new Set())
  const line = ${JSON.stringify(`H\t${file}\t`)} + block
  if (seen.has(line)) return
  seen.add(line)
  try { __append(${JSON.stringify(hits)}, line + '\\n') } catch {}
}
__hit(0)`
