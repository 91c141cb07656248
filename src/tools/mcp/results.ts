import type { CallToolResult, ContentBlock, GetPromptResult, ReadResourceResult } from '@modelcontextprotocol/client'
import type { FilePart } from '../../contract/messages.ts'
import { defuse, defuseTags, type ToolOutput } from '../../core/base/index.ts'
import { printable } from '../../lib/text.ts'
import { mediaTypeOf } from '../files/media.ts'

const TEXT_CHARS = 20_000
const FILES = 5
const FILE_CHARS = 7_000_000

/** What the model gets of an answer: its text, marked as what it is, and its images. */
export function resultOutput(server: string, result: CallToolResult): ToolOutput {
  const read = readAll(result.content ?? [])
  const structured = result.structuredContent
  const texts = read.texts.length === 0 && structured !== undefined ? [JSON.stringify(structured, null, 2)] : read.texts
  return {
    output: quoted(server, texts, read.notes),
    ...(read.files.length > 0 && { files: read.files }),
    ...(result.isError && { error: true }),
  }
}

export function resourceOutput(server: string, { contents }: ReadResourceResult): ToolOutput {
  return resultOutput(server, { content: contents.map((resource) => ({ type: 'resource' as const, resource })) })
}

export function promptOutput(server: string, { description, messages }: GetPromptResult): ToolOutput {
  const content = messages.flatMap(({ role, content }): ContentBlock[] => [
    { type: 'text', text: `${role}:` },
    content as ContentBlock,
  ])
  const about: ContentBlock[] = description ? [{ type: 'text', text: description }] : []
  return resultOutput(server, { content: [...about, ...content] })
}

interface Reading {
  readonly texts: string[]
  readonly files: FilePart[]
  /** What was left out, in our own words. */
  readonly notes: string[]
}

function readAll(content: readonly ContentBlock[]): Reading {
  const reading: Reading = { texts: [], files: [], notes: [] }
  for (const block of content) read(block, reading)
  return reading
}

function read(block: ContentBlock, { texts, files, notes }: Reading): void {
  if (block.type === 'text') texts.push(block.text)
  else if (block.type === 'resource_link') texts.push(`${block.name}: ${block.uri}`)
  else if (block.type === 'resource' && 'text' in block.resource)
    texts.push(`${block.resource.uri}\n${block.resource.text}`)
  else {
    const data =
      block.type === 'resource'
        ? 'blob' in block.resource
          ? block.resource.blob
          : ''
        : 'data' in block
          ? block.data
          : ''
    const mediaType = mediaTypeOf(Buffer.from(data.slice(0, 64), 'base64'))
    if (mediaType === undefined) notes.push(`[${block.type} that is no image or PDF was left out]`)
    else if (data.length > FILE_CHARS || files.length >= FILES)
      notes.push(`[an image was left out: ${FILES} of at most ${FILE_CHARS / 1_000_000} MB are taken]`)
    else files.push({ type: 'file', mediaType, data: Buffer.from(data, 'base64').toString('base64') })
  }
}

/** The text cannot close its own section, nor speak in the runtime's voice. */
function quoted(server: string, texts: readonly string[], notes: readonly string[]): string {
  const text = texts.join('\n')
  const cut = text.length - TEXT_CHARS
  const shown = cut > 0 ? text.slice(0, TEXT_CHARS) : text
  const inner = defuseTags(defuse(printable(shown.toWellFormed())), ['result'])
  const rest = cut > 0 ? [`[${cut} more characters were cut; ask for a smaller part of it]`] : []
  const said = inner.trim() === '' ? ['[no text]'] : ['<result>', inner, '</result>']
  return [`From the MCP server ${server}:`, ...said, ...rest, ...notes].join('\n')
}
