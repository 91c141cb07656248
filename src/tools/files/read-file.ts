import { basename } from 'node:path'
import { z } from 'zod'
import { AppError } from '../../contract/errors.ts'
import type { FilePart } from '../../contract/messages.ts'
import type { ToolContext, ToolOutput } from '../../core/base/index.ts'
import { mailText } from '../../core/mail/index.ts'
import { defineTool } from '../../core/permissions/index.ts'
import { rememberFile } from '../../core/sessions/index.ts'
import { readInside } from '../../lib/files/workspace-files.ts'
import { mediaTypeOf } from './media.ts'
import { locateFile, refusing } from './workspace.ts'

const FILE_BYTES = 10 * 1024 * 1024
const MEDIA_BYTES = 5 * 1024 * 1024
const LINE_CHARS = 2000
const TEXT_CHARS = 50_000
const MAIL = 'mail:'

export const readFile = defineTool({
  name: 'read_file',
  description:
    'Read a file: text with line numbers, images and PDF as attachments. "mail:<id>" is the full text of a long message.',
  input: z.strictObject({
    path: z.string().min(1).describe('Relative to the workspace'),
    offset: z.int().positive().default(1).describe('First line'),
    limit: z.int().positive().max(5000).default(2000).describe('Number of lines'),
  }),
  capabilities: ['files.read'],
  parallel: true,
  idempotent: true,
  maxOutputChars: TEXT_CHARS + 1000,
  touches: ({ path }) => (path.startsWith(MAIL) ? [] : [{ path, access: 'read' }]),
  run: ({ path, offset, limit }, context) =>
    refusing(async () => {
      if (path.startsWith(MAIL)) return { output: numbered(wrapped(await longMail(path, context)), offset, limit) }
      const spot = await locateFile(context, path)
      const { real, bytes } = await readInside(spot.root, spot.path, FILE_BYTES)
      const mediaType = mediaTypeOf(bytes)
      if (mediaType !== undefined) return attached(path, bytes, mediaType)
      refuseBinary(path, bytes)
      await rememberFile(context, real, bytes)
      return { output: numbered(linesOf(bytes), offset, limit) }
    }),
})

const longMail = (path: string, { core, sessionId }: ToolContext): Promise<string> =>
  mailText(core, sessionId, path.slice(MAIL.length))

function attached(path: string, bytes: Buffer, mediaType: string): ToolOutput {
  if (bytes.length > MEDIA_BYTES)
    throw new AppError(
      'path.kind',
      `${JSON.stringify(path)} has ${bytes.length} bytes; images and documents up to ${MEDIA_BYTES} can be shown.`,
    )
  const file: FilePart = { type: 'file', mediaType, name: basename(path), data: bytes.toString('base64') }
  return { output: `${path} (${mediaType}, ${bytes.length} bytes) is attached.`, files: [file] }
}

export function refuseBinary(path: string, bytes: Buffer): void {
  if (!bytes.subarray(0, 8192).includes(0)) return
  throw new AppError('path.kind', `${JSON.stringify(path)} is a binary file and has no text to show.`, {
    hint: 'A shell command such as file, xxd or strings can look into it.',
  })
}

function linesOf(bytes: Buffer): string[] {
  const lines = new TextDecoder().decode(bytes).replaceAll('\0', '\u2400').split('\n')
  // The newline at the end ends the last line; it does not begin another.
  if (lines.at(-1) === '') lines.pop()
  return lines.map((line) => line.replace(/\r$/, ''))
}

function numbered(lines: readonly string[], offset: number, limit: number): string {
  if (lines.length === 0) return '[The file is empty.]'
  if (offset > lines.length) return `[The file has ${lines.length} lines; there is no line ${offset}.]`
  const shown: string[] = []
  let room = TEXT_CHARS
  for (const [index, line] of lines.slice(offset - 1, offset - 1 + limit).entries()) {
    const text = `${offset + index}\t${clip(line)}`
    room -= text.length + 1
    if (room < 0) break
    shown.push(text)
  }
  const next = offset + shown.length
  if (next <= lines.length)
    shown.push(`[Lines ${offset} to ${next - 1} of ${lines.length}; read on with offset ${next}.]`)
  return shown.join('\n')
}

const clip = (line: string): string =>
  line.length <= LINE_CHARS
    ? line
    : `${line.slice(0, LINE_CHARS).toWellFormed()} [… ${line.length - LINE_CHARS} characters cut from this line]`

/** A long line of a mail is broken, not cut: no shell command could show the rest of it. */
const wrapped = (text: string): string[] => text.split('\n').flatMap((line) => line.match(/.{1,1000}/gsu) ?? [''])
