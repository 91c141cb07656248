import { applyEdits, modify, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import type { SmallFile } from './files/files.ts'

export interface Parsed {
  /** What could be understood; undefined for an empty text. */
  readonly value: unknown
  /** Where the text is not JSON, in words. When there are any, the value is a guess. */
  readonly errors: readonly string[]
}

/** JSON with comments and trailing commas. Never throws. */
export function parseJsonc(text: string): Parsed {
  const errors: ParseError[] = []
  const root = parseTree(text, errors, { allowTrailingComma: true })
  return { value: root && plainValue(root), errors: errors.slice(0, 5).map((error) => describe(text, error)) }
}

/** Every key becomes a field of its own, `__proto__` too, so that whoever checks the value sees it. */
function plainValue({ type, value, children = [] }: Node): unknown {
  if (type === 'array') return children.map(plainValue)
  if (type !== 'object') return value
  const fields = children.flatMap(({ children: [key, field] = [] }) =>
    key && field ? [[key.value, field] as const] : [],
  )
  return Object.fromEntries(fields.map(([key, field]) => [key, plainValue(field)]))
}

const readings = new WeakMap<SmallFile, Parsed>()

/** Parses a file once until it changes. The value is shared and must not be changed. */
export function readJsonc(file: SmallFile): Parsed {
  const known = readings.get(file) ?? parseJsonc(file.text)
  readings.set(file, known)
  return known
}

/** Sets or (undefined) removes values by path; comments and layout of the rest stay. */
export function editJsonc(text: string, edits: readonly { path: readonly string[]; value: unknown }[]): string {
  let result = text.trim() === '' ? '{}\n' : text
  for (const { path, value } of edits) {
    const changes = modify(result, [...path], value, {
      formattingOptions: { insertSpaces: true, tabSize: 2, eol: '\n' },
    })
    result = applyEdits(result, changes)
  }
  return result.endsWith('\n') ? result : `${result}\n`
}

function describe(text: string, error: ParseError): string {
  const before = text.slice(0, error.offset).split('\n')
  const words = printParseErrorCode(error.error)
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}: ${words}`
}
