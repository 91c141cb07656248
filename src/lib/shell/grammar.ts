import { createRequire } from 'node:module'
import type { Node, Parser } from 'web-tree-sitter'

export type { Node } from 'web-tree-sitter'

/** Parses a source with the grammar of bash. The nodes are freed after `read`, so its result must not hold any. */
export type Grammar = <T>(source: string, read: (root: Node) => T) => T | undefined

let loading: Promise<Grammar> | undefined

/** Loads the grammar at the first command, once: it takes a tenth of a second, which most starts can save. */
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
