import type { LanguageModelV4FilePart, LanguageModelV4TextPart } from '@ai-sdk/provider'
import type { FilePart } from '../../contract/messages.ts'

/** The formats every vendor takes; anything else would have the whole request refused. */
const SHOWN = ['image/jpeg', 'image/png', 'image/gif', 'image/webp', 'application/pdf']

export const isShown = (file: FilePart): boolean => SHOWN.includes(file.mediaType)

/** A person's file: pictures and PDFs as they are, text as text, the rest by name. */
export function filePart(file: FilePart): LanguageModelV4FilePart | LanguageModelV4TextPart {
  if (isShown(file)) return wholeFile(file)
  if (!file.mediaType.startsWith('text/')) return { type: 'text', text: fileNote(file) }
  return { type: 'text', text: `[file ${nameOf(file)}]\n${Buffer.from(file.data, 'base64').toString('utf8')}` }
}

export const wholeFile = (file: FilePart): LanguageModelV4FilePart => ({
  type: 'file',
  mediaType: file.mediaType,
  data: { type: 'data', data: file.data },
  ...(file.name === undefined ? {} : { filename: file.name }),
})

/** What a model that cannot be shown the file is told instead. */
export const fileNote = (file: FilePart): string =>
  `[file ${nameOf(file)}, ${file.mediaType}, ${Math.ceil((file.data.length * 3) / 4 / 1024)} KB: not shown]`

const nameOf = (file: FilePart): string => file.name ?? 'without a name'
