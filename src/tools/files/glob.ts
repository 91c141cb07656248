import { z } from 'zod'
import { AppError } from '../../contract/errors.ts'
import { defineTool } from '../../core/permissions/index.ts'
import { PathError } from '../../lib/files/paths.ts'
import { search } from '../../lib/files/search.ts'
import { folderField, ignoredField, LINES, RESULT_CHARS, report, SEARCH_MS } from './searching.ts'
import { areaOf, refusing } from './workspace.ts'

export const glob = defineTool({
  name: 'glob',
  description: 'Find files by name, such as "src/**/*.ts".',
  input: z.strictObject({
    pattern: z.string().min(1).max(1000).describe('Matched with the path below the folder'),
    path: folderField,
    include_ignored: ignoredField,
  }),
  capabilities: ['files.read'],
  parallel: true,
  idempotent: true,
  maxOutputChars: RESULT_CHARS + 1000,
  touches: ({ path }) => [{ path, access: 'read' }],
  run: ({ pattern, path, include_ignored }, context) =>
    refusing(async () => {
      refuseLeaving(pattern)
      const area = await areaOf(context, path)
      if (area.file !== undefined) throw new PathError('path.kind', `${JSON.stringify(path)} is a file, not a folder.`)
      const request = {
        ...area,
        kind: 'glob',
        pattern,
        includeIgnored: include_ignored,
        limit: LINES,
        limitMs: SEARCH_MS,
      } as const
      return { output: report(await search(request, context.signal), '[No file matches.]') }
    }),
})

function refuseLeaving(pattern: string): void {
  if (!pattern.startsWith('/') && !pattern.split(/[/\\{},()|]/).includes('..')) return
  throw new AppError('path.outside', `The pattern ${JSON.stringify(pattern)} leads out of the folder.`, {
    hint: 'Patterns are relative to the folder given as path, which must be in the workspace.',
  })
}
