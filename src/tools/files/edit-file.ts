import { z } from 'zod'
import { AppError } from '../../contract/errors.ts'
import { defineTool } from '../../core/permissions/index.ts'
import { compareFile, rememberFile } from '../../core/sessions/index.ts'
import { exclusively } from '../../lib/files/exclusively.ts'
import { readInside } from '../../lib/files/workspace-files.ts'

import { refuseBinary } from './read-file.ts'
import { locateFile, refuseHidden, refusing, writeAt } from './workspace.ts'

const FILE_BYTES = 10 * 1024 * 1024

export const editFile = defineTool({
  name: 'edit_file',
  description:
    'Replace text in a file that you have read. old_string must occur exactly once, unless replace_all is set.',
  input: z.strictObject({
    path: z.string().min(1).describe('Relative to the workspace'),
    old_string: z.string().min(1).describe('Exactly as in the file, without line numbers'),
    new_string: z.string().max(5_000_000).describe('What takes its place'),
    replace_all: z.boolean().default(false).describe('Replace every occurrence'),
  }),
  capabilities: ['files.write', 'files.read'],
  touches: ({ path }) => [
    { path, access: 'write' },
    { path, access: 'read' },
  ],
  run: ({ path, old_string, new_string, replace_all }, context) =>
    refusing(async () => {
      const spot = await locateFile(context, path, 'write')
      const { root, path: below, real } = spot
      return await exclusively(real, async () => {
        const { bytes } = await readInside(root, below, FILE_BYTES)
        refuseUnseen(path, await compareFile(context, real, bytes))
        refuseBinary(path, bytes)
        const text = decode(path, bytes)
        const { oldText, newText } = asInFile(text, old_string, new_string)
        refuseHidden(new_string, `${old_string}${text}`)
        const count = text.split(oldText).length - 1
        refuseCount(path, count, replace_all)
        const changed = text.split(oldText).join(newText)
        await writeAt(context, spot, changed)
        await rememberFile(context, real, changed)
        return { output: `Replaced ${count === 1 ? 'one occurrence' : `${count} occurrences`} in ${path}.` }
      })
    }),
})

function refuseUnseen(path: string, state: Awaited<ReturnType<typeof compareFile>>): void {
  if (state === 'same') return
  const why = state === 'unseen' ? 'has not been read in this session yet' : 'has changed since it was read'
  throw new AppError('tool.failed', `${JSON.stringify(path)} ${why}; it was left as it is.`, {
    hint: 'Read it with read_file and edit what is there now.',
  })
}

function refuseCount(path: string, count: number, all: boolean): void {
  const named = JSON.stringify(path)
  if (count === 0)
    throw new AppError('tool.failed', `old_string does not occur in ${named}; nothing was changed.`, {
      hint: 'Copy it exactly from read_file, with its spaces and without the line numbers.',
    })
  if (count > 1 && !all)
    throw new AppError('tool.failed', `old_string occurs ${count} times in ${named}; nothing was changed.`, {
      hint: 'Add lines around it until it is the only one, or set replace_all.',
    })
}

/** Models write plain newlines, so in a file with Windows line ends both texts get Windows line ends. */
function asInFile(text: string, oldText: string, newText: string): { oldText: string; newText: string } {
  if (text.includes(oldText) || !text.includes('\r\n')) return { oldText, newText }
  const windows = (plain: string): string => plain.replaceAll(/\r?\n/g, '\r\n')
  return { oldText: windows(oldText), newText: windows(newText) }
}

function decode(path: string, bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new AppError('path.kind', `${JSON.stringify(path)} is not UTF-8 text, and editing it would damage it.`, {
      hint: 'Convert it first, for example with iconv.',
    })
  }
}
