import { z } from 'zod'
import { defineTool } from '../../core/permissions/index.ts'
import { rememberFile } from '../../core/sessions/index.ts'

import { exclusively } from '../../lib/files/exclusively.ts'
import { keepSecrets, locateFile, refusing, writeAt } from './workspace.ts'

export const writeFile = defineTool({
  name: 'write_file',
  description: 'Write a whole file, new or instead of what is there. Missing folders are made.',
  input: z.strictObject({
    path: z.string().min(1).describe('Relative to the workspace'),
    content: z.string().max(5_000_000).describe('The whole content'),
  }),
  capabilities: ['files.write'],
  touches: ({ path }) => [{ path, access: 'write' }],
  run: ({ path, content }, context) =>
    refusing(async () => {
      const spot = await locateFile(context, path, 'write')
      await exclusively(spot.real, async () => {
        await keepSecrets(spot.root, spot.path, content)
        await writeAt(context, spot, content)
      })
      await rememberFile(context, spot.real, content)
      return { output: `Wrote ${Buffer.byteLength(content)} bytes to ${path}.` }
    }),
})
