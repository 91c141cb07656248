import { z } from 'zod'
import { defineTool } from '../../core/permissions/index.ts'
import { PathError } from '../../lib/files/paths.ts'
import { search } from '../../lib/files/search.ts'
import { folderField, ignoredField, RESULT_CHARS, report, SEARCH_MS } from './searching.ts'
import { areaOf, refusing } from './workspace.ts'

const ENTRIES = 500

export const listDir = defineTool({
  name: 'list_dir',
  description: 'List a folder; folders end in a slash.',
  input: z.strictObject({ path: folderField, include_ignored: ignoredField }),
  capabilities: ['files.read'],
  parallel: true,
  idempotent: true,
  maxOutputChars: RESULT_CHARS + 1000,
  touches: ({ path }) => [{ path, access: 'read' }],
  run: ({ path, include_ignored }, context) =>
    refusing(async () => {
      const area = await areaOf(context, path)
      if (area.file !== undefined) throw new PathError('path.kind', `${JSON.stringify(path)} is a file, not a folder.`)
      const request = {
        ...area,
        kind: 'list',
        includeIgnored: include_ignored,
        limit: ENTRIES,
        limitMs: SEARCH_MS,
      } as const
      return { output: report(await search(request, context.signal), '[The folder is empty.]') }
    }),
})
