import type { LanguageModelV4FilePart, LanguageModelV4TextPart } from '@ai-sdk/provider'
import type { FilePart } from '../../../contract/messages.ts'
import type { ProviderType } from '../../../contract/settings.ts'

/** The formats vendors take; anything else would have the whole request refused. */
const SHOWN = ['image/jpeg', 'image/png', 'image/gif', 'image/webp', 'application/pdf']
const EXCEPT: Partial<Record<ProviderType, readonly string[]>> = { google: ['image/gif'] }
/** The vendors that take files in the result of a call; the others get a note. */
const IN_RESULTS: readonly ProviderType[] = ['anthropic', 'openai', 'google', 'openrouter']

const isShown = (file: FilePart, type: ProviderType): boolean =>
  SHOWN.includes(file.mediaType) && !EXCEPT[type]?.includes(file.mediaType)

export const isShownInResult = (file: FilePart, type: ProviderType): boolean =>
  IN_RESULTS.includes(type) && isShown(file, type)

/** A person's file: pictures and PDFs as they are, text as text, the rest by name. */
export function filePart(file: FilePart, type: ProviderType): LanguageModelV4FilePart | LanguageModelV4TextPart {
  if (isShown(file, type)) return wholeFile(file)
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
