import { z } from 'zod'
import { AppError } from '../../contract/errors.ts'
import type { ToolContext } from '../../core/base/index.ts'
import { defineTool } from '../../core/permissions/index.ts'
import { findRipgrep, ripgrep } from '../../lib/files/ripgrep.ts'
import { type SearchResult, search } from '../../lib/files/search.ts'
import { ignoredField, LINES, RESULT_CHARS, report, SEARCH_MS } from './searching.ts'
import { areaOf, refusing } from './workspace.ts'

export const grep = defineTool({
  name: 'grep',
  description: 'Search text by a regular expression; answers "path:line: text".',
  input: z.strictObject({
    pattern: z.string().min(1).max(1000).describe('Matched with each line'),
    path: z.string().min(1).default('.').describe('Folder or file, relative to the workspace'),
    glob: z
      .string()
      .max(1000)
      .regex(/^[^/]+$/, 'matches file names and has no slashes; give the folder as path')
      .optional()
      .describe('Only files of such names: "*.ts"'),
    ignore_case: z.boolean().default(false).describe('Either case'),
    include_ignored: ignoredField,
  }),
  capabilities: ['files.read'],
  guidance: 'prefer grep and glob to bash: they need no approval.',
  parallel: true,
  idempotent: true,
  maxOutputChars: RESULT_CHARS + 1000,
  touches: ({ path }) => [{ path, access: 'read' }],
  run: (input, context) =>
    refusing(async () => ({ output: report(await searchText(input, context), '[Nothing matches.]') })),
})

interface GrepInput {
  readonly pattern: string
  readonly path: string
  readonly glob?: string | undefined
  readonly ignore_case: boolean
  readonly include_ignored: boolean
}

async function searchText(input: GrepInput, context: ToolContext): Promise<SearchResult> {
  const area = await areaOf(context, input.path)
  const request = {
    ...area,
    kind: 'grep',
    pattern: input.pattern,
    ignoreCase: input.ignore_case,
    ...(input.glob !== undefined && { glob: input.glob }),
    includeIgnored: input.include_ignored || area.file !== undefined,
    limit: LINES,
    limitMs: SEARCH_MS,
  } as const
  const program = findRipgrep(context.core.env)
  try {
    if (program === undefined) return await search(request, context.signal)
    return await ripgrep(program, request, context.core.env, context.signal)
  } catch (error) {
    if (context.signal.aborted || !(error instanceof Error)) throw error
    throw new AppError('tool.failed', `The search could not be made: ${error.message}`, { cause: error })
  }
}
