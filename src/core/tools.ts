import type { Tool } from './core.ts'

const OUTPUT_CHARS = 20_000

type Declared<Input> = Omit<Tool<Input>, 'parallel' | 'idempotent' | 'maxOutputChars'> &
  Partial<Pick<Tool<Input>, 'parallel' | 'idempotent' | 'maxOutputChars'>>

/** A tool says what it needs; it never decides its own permission. */
export function defineTool<Input>(tool: Declared<Input>): Tool {
  return { parallel: false, idempotent: false, maxOutputChars: OUTPUT_CHARS, ...tool } as unknown as Tool
}
