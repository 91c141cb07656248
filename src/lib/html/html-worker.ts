import { parentPort, workerData } from 'node:worker_threads'
import Turndown from 'turndown'
import type { HtmlMessage, HtmlRequest, HtmlText } from './html.ts'

/** Runs one conversion (html.ts) in a thread that can be killed. */

const unseenTags =
  /^(script|style|noscript|template|iframe|frame|object|embed|applet|svg|canvas|audio|video|link|meta|base|select|dialog)$/i

type Element = Parameters<Turndown.ReplacementFunction>[1]

const port = parentPort
if (port) {
  const post = (message: HtmlMessage) => port.postMessage(message)
  try {
    post(convert(workerData as HtmlRequest))
  } catch (error) {
    post({ error: error instanceof RangeError ? 'it is nested too deeply' : String(error) })
  }
}

function convert({ html, base, as }: HtmlRequest): HtmlText {
  const heard = { title: '' }
  const service = new Turndown({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    bulletListMarker: '-',
    emDelimiter: '*',
  })
  service.addRule('title', {
    filter: 'title',
    replacement(content) {
      heard.title ||= oneLine(content)
      return ''
    },
  })
  addTables(service)
  if (as === 'text') plain(service)
  else addLinks(service, base)
  // The rule that was added last is asked first.
  service.addRule('unseen', { filter: isUnseen, replacement: () => '' })
  const text = service
    .turndown(html)
    .replace(/\n{3,}/g, '\n\n')
    .trim()
  return { title: heard.title.slice(0, 300), text }
}

/** What a reader of the page would not see is no part of it: it often speaks to machines instead. */
function isUnseen(node: Element): boolean {
  if (unseenTags.test(node.nodeName)) return true
  if (node.getAttribute('hidden') !== null || node.getAttribute('aria-hidden') === 'true') return true
  const style = (node.getAttribute('style') ?? '').toLowerCase().replace(/\s+/g, '')
  return /(^|;)(display:none|visibility:(hidden|collapse)|opacity:0(\.0*)?(;|!|$)|font-size:0)/.test(style)
}

function addLinks(service: Turndown, base: string): void {
  service.addRule('link', {
    filter: 'a',
    replacement(content, node) {
      const target = absolute(node.getAttribute('href'), base)
      const text = oneLine(content)
      return target === undefined || text === '' ? content : `[${text}](${target})`
    },
  })
  service.addRule('image', {
    filter: 'img',
    replacement(_, node) {
      const alt = oneLine(node.getAttribute('alt') ?? '')
      const source = absolute(node.getAttribute('src'), base)
      return source === undefined ? alt : `![${alt.replace(/[[\]]/g, '')}](${source})`
    },
  })
}

/** Only addresses that could be fetched: a script or a picture as text in its address is left out. */
function absolute(address: string | null, base: string): string | undefined {
  if (address === null || address.trim() === '') return undefined
  const url = URL.parse(address.slice(0, 4000), base)
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return undefined
  return url.href.replace(/[()]/g, (bracket) => (bracket === '(' ? '%28' : '%29'))
}

function addTables(service: Turndown): void {
  service.addRule('cell', {
    filter: ['td', 'th'],
    replacement: (content) => ` ${oneLine(content).replaceAll('|', '\\|')} |`,
  })
  service.addRule('row', {
    filter: 'tr',
    replacement(content, node) {
      const heads = node.getElementsByTagName('th').length
      const isHead = heads > 0 && heads === node.children.length
      return `\n|${content}${isHead ? `\n|${' --- |'.repeat(heads)}` : ''}`
    },
  })
  service.addRule('table', { filter: 'table', replacement: (content) => `\n\n${content.trim()}\n\n` })
  service.addRule('table part', { filter: ['thead', 'tbody', 'tfoot'], replacement: (content) => content })
}

/** The words alone: no marks for headings, emphasis, code or links. */
function plain(service: Turndown): void {
  service.escape = (text) => text
  service.addRule('words', { filter: ['b', 'strong', 'i', 'em', 'code', 'a'], replacement: (content) => content })
  service.addRule('blocks', {
    filter: ['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'pre', 'blockquote'],
    replacement: (content) => `\n\n${content.trim()}\n\n`,
  })
  service.addRule('picture', { filter: 'img', replacement: (_, node) => node.getAttribute('alt') ?? '' })
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
