import { STATUS_CODES } from 'node:http'
import { basename } from 'node:path'
import { AppError } from '../../contract/errors.ts'
import { defuse, defuseTags, type ToolOutput } from '../../core/base/index.ts'
import { readHtml } from '../../lib/html/html.ts'
import type { GuardedAnswer } from '../../lib/net/guarded-fetch.ts'
import { printable } from '../../lib/text.ts'
import { mediaTypeOf } from '../files/media.ts'
import { decoded } from './charset.ts'

/** How much of a page one call shows. */
export const PAGE_CHARS = 15_000
const ERROR_CHARS = 2000

interface Reading {
  readonly mode: 'markdown' | 'text' | 'json' | 'raw'
  readonly offset: number
}

/** What the model gets of an answer: the file itself, or a part of its text, marked as what it is. */
export async function readAnswer(answer: GuardedAnswer, reading: Reading, signal: AbortSignal): Promise<ToolOutput> {
  const { status } = answer
  if (status >= 400) return failed(answer, await textOf(answer, 'text', signal).catch(() => ''))
  const mediaType = reading.mode === 'raw' ? undefined : mediaTypeOf(answer.body)
  if (mediaType !== undefined) return attached(answer, mediaType)
  const text = await textOf(answer, reading.mode, signal)
  if (text === '') return { output: `${answer.url.href} answered ${status} with nothing to read.` }
  if (reading.offset >= text.length)
    return {
      output: `The text of ${answer.url.href} has ${text.length} characters; there is none at ${reading.offset}.`,
    }
  const end = reading.offset + PAGE_CHARS
  const rest =
    end < text.length ? `\n[Characters ${reading.offset} to ${end} of ${text.length}; read on with offset ${end}.]` : ''
  return { output: `${quoted(answer, text.slice(reading.offset, end))}${rest}` }
}

async function textOf(answer: GuardedAnswer, mode: Reading['mode'], signal: AbortSignal): Promise<string> {
  const type = typeOf(answer)
  if (answer.body.subarray(0, 8192).includes(0) && !/^(text\/|.*utf-16)/i.test(answer.headers['content-type'] ?? ''))
    throw new AppError('tool.failed', `${answer.url.href} is ${type || 'a file'} and has no text to show.`, {
      hint: 'Look for the same content as text.',
    })
  const text = decoded(answer.body, answer.headers['content-type'] ?? '')
  if (mode === 'json') return indented(text, answer)
  if (mode === 'raw' || !isHtml(type, text)) return text.trim()
  try {
    const page = await readHtml({ html: text, base: answer.url.href, as: mode }, signal)
    return [page.title, page.text].filter(Boolean).join('\n\n')
  } catch (error) {
    signal.throwIfAborted()
    throw new AppError('tool.failed', `The page could not be read: ${(error as Error).message}.`, {
      hint: 'With mode "raw" you get it as it was sent.',
      cause: error,
    })
  }
}

const typeOf = ({ headers }: GuardedAnswer): string =>
  /^[\w.+-]+\/[\w.+-]+/.exec(headers['content-type'] ?? '')?.[0].toLowerCase() ?? ''

const isHtml = (type: string, text: string): boolean =>
  type === '' ? /^\s*<(!doctype html|html)\b/i.test(text) : /^(text\/html|application\/xhtml\+xml)$/.test(type)

function indented(text: string, answer: GuardedAnswer): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch (error) {
    throw new AppError('tool.failed', `${answer.url.href} is no JSON (${typeOf(answer) || 'no type given'}).`, {
      hint: 'Use mode "text" or "raw".',
      cause: error,
    })
  }
}

/** The text cannot close its own section, nor speak in the runtime's voice. */
function quoted(answer: GuardedAnswer, text: string): string {
  const inner = defuseTags(defuse(printable(text.toWellFormed())), ['page'])
  const type = typeOf(answer)
  return `From ${answer.url.href}${type && ` (${type})`}:\n<page>\n${inner}\n</page>`
}

function attached({ url, body }: GuardedAnswer, mediaType: string): ToolOutput {
  const name = basename(url.pathname) || url.hostname
  const file = { type: 'file', mediaType, name, data: body.toString('base64') } as const
  return { output: `${url.href} (${mediaType}, ${body.length} bytes) is attached.`, files: [file] }
}

const advice: Readonly<Record<number, string>> = {
  401: 'It wants a login, which you do not have.',
  403: 'It does not let programs in, or wants a login.',
  404: 'Check the address, or search for the page.',
  410: 'The page is gone for good.',
  429: 'Too many requests: try again later, or another source.',
}

function failed(answer: GuardedAnswer, text: string): ToolOutput {
  const { status, url } = answer
  const said = text === '' ? '' : `\n${quoted(answer, text.slice(0, ERROR_CHARS))}`
  const what = [`${url.href} answered ${status} ${STATUS_CODES[status] ?? ''}.`.replace(' .', '.'), advice[status]]
  return { output: `${what.filter(Boolean).join(' ')}${said}`, error: true }
}
