import { createRequire } from 'node:module'
import type { Node, Parser } from 'web-tree-sitter'

export type { Node } from 'web-tree-sitter'

/** Reads a source with bash's own grammar; what `read` returns must not hold on to nodes. */
export type Grammar = <T>(source: string, read: (root: Node) => T) => T | undefined

let loading: Promise<Grammar> | undefined

/** Loaded at the first command, once: it costs a tenth of a second that most starts need not pay. */
export function loadGrammar(): Promise<Grammar> {
  loading ??= load()
  return loading
}

async function load(): Promise<Grammar> {
  const { Language, Parser } = await import('web-tree-sitter')
  await Parser.init()
  const parser: Parser = new Parser()
  const { resolve } = createRequire(import.meta.url)
  parser.setLanguage(await Language.load(resolve('tree-sitter-bash/tree-sitter-bash.wasm')))
  return (source, read) => {
    const tree = parser.parse(source)
    if (tree === null) return undefined
    try {
      return read(tree.rootNode)
    } finally {
      tree.delete()
    }
  }
}
