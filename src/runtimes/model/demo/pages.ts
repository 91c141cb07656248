import { shorten } from '../../../lib/shorten.ts'
import { type MadeCall, wordsIn } from './log.ts'

/** A node as its worker was told of it. */
export interface GivenNode {
  readonly id: string
  readonly title: string
  readonly goal: string
  /** What it builds on. */
  readonly before: readonly { readonly id: string; readonly title: string }[]
}

/** What a person may prefer. */
export const preferences = ['that it is quick', 'that it is thorough', 'that it stays simple']

/** The file that a node leaves, by the first word of its title. */
const files: Readonly<Record<string, string>> = {
  Collect: 'facts.md',
  Weigh: 'options.md',
  Draft: 'opening.md',
  Bring: 'report.md',
}

export const fileFor = (title: string): string => files[title.split(' ', 1)[0]!] ?? 'result.md'

const MOST = 12

/** The lines of what a tool returned. */
export const returnedLines = (made: readonly MadeCall[], tool: string): string[] =>
  made
    .filter(({ name, failed }) => name === tool && !failed)
    .flatMap(({ output }) => wordsIn(output).split('\n'))
    .filter((line) => line.trim() !== '')

const chosenIn = (made: readonly MadeCall[]): string => returnedLines(made, 'ask_human')[0] ?? preferences[0]!

export function pageFor(given: GivenNode, made: readonly MadeCall[]): string {
  const { title, goal } = given
  return [`# ${title}`, ...(goal ? [`Goal: ${goal}`] : []), ...bodyFor(given, made), SIGNED].join('\n\n').concat('\n')
}

const SIGNED = '(Written by the scripted demo model.)'

function bodyFor({ title, goal }: GivenNode, made: readonly MadeCall[]): string[] {
  if (title.startsWith('Collect')) return [listed(returnedLines(made, 'list_dir'), 'The folder is empty.')]
  if (title.startsWith('Weigh'))
    return [
      listed(preferences, ''),
      `The person chose: ${chosenIn(made)}.`,
      'Suggested next: try it on something small.',
    ]
  if (title.startsWith('Draft'))
    return [`This is about "${goal}": what is there, what could be done, what comes first.`]
  if (!title.startsWith('Bring')) return ['Done as asked.']
  const read = made.filter(({ name, failed }) => /^read_(ref|file)$/.test(name) && !failed)
  return read.length === 0
    ? ['Three looked at it; what they said is in their nodes.']
    : read.map(({ input, output }) => {
        const { path, text } = refIn(output)
        return `## From ${nameIn(path === undefined ? input : { path })}\n\n${quoted(text ?? output)}`
      })
}

/** What read_ref gives back. */
function refIn(output: unknown): { path?: unknown; text?: unknown } {
  try {
    const found: unknown = JSON.parse(wordsIn(output))
    return found !== null && typeof found === 'object' ? found : {}
  } catch {
    return {}
  }
}

const nameIn = ({ name, path }: Record<string, unknown>): string => String(name ?? path).replace(/^.*\//, '')

/** What another page says, without its head, its end and the numbers of its lines. */
const quoted = (output: unknown): string =>
  wordsIn(output)
    .split('\n')
    .map((line) => line.replace(/^\s*\d+\t/, ''))
    .filter((line) => line.trim() !== '' && line !== SIGNED && !/^(# |Goal: )/.test(line))
    .slice(0, MOST)
    // Behind a list, a line without a free one above it would belong to its last item.
    .map((line, at) => `${at > 0 && !line.startsWith('- ') ? '>\n' : ''}> ${shorten(line, 200)}`)
    .join('\n')

const listed = (lines: readonly string[], none: string): string =>
  lines.length === 0
    ? none
    : [...lines.slice(0, MOST).map((line) => `- ${line}`), ...(lines.length > MOST ? ['- and more'] : [])].join('\n')

export function summaryFor(given: GivenNode, made: readonly MadeCall[]): string {
  const { title } = given
  const where = made.some(({ name, failed }) => name === 'write_file' && !failed) ? ` It is in ${fileFor(title)}.` : ''
  if (title.startsWith('Collect')) {
    const { length } = returnedLines(made, 'list_dir')
    return `What is there is listed, ${length} line${length === 1 ? '' : 's'}.${where}`
  }
  if (title.startsWith('Weigh')) return `The person wants ${chosenIn(made)}.${where}`
  if (title.startsWith('Draft')) return `The opening is drafted.${where}`
  return title.startsWith('Bring') ? `The three results are one page.${where}` : `Done: ${shorten(title, 80)}.${where}`
}
