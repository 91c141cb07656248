import { parseAst } from 'vitest/node'

/** A node of the syntax tree, as far as mutants care: what it is, where it is, and what hangs below it. */
export interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

export const parse = (source: string): Node => parseAst(source, { lang: 'ts' }) as unknown as Node

/** The nodes below, in the order of the text. Types are left out, because they are gone when the program runs. */
export function childrenOf(node: Node): Node[] {
  const values = Object.values(node).flatMap((value) => (Array.isArray(value) ? value : [value]))
  return values
    .filter(isNode)
    .filter(({ type }) => !type.startsWith('TS') || kept.has(type))
    .sort((a, b) => a.start - b.start)
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value
}

const kept = new Set(['TSAsExpression', 'TSNonNullExpression', 'TSSatisfiesExpression'])
