import stringWidth from 'string-width'
import wrapAnsi from 'wrap-ansi'
import { clean } from '../../lib/hidden.ts'

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
const TAB = '    '

/** Prose wider than this is hard to read, however wide the terminal is. */
export const PROSE = 100

/** How many columns a text takes: wide characters count twice, colours and marks not at all. */
export const cells = (text: string): number => stringWidth(text)

/** Makes text of models, tools and files harmless for the terminal, and replaces tabs, whose width nobody knows. */
export const tame = (text: string): string => clean(text).replaceAll('\t', TAB)

export const graphemesOf = (text: string): string[] => Array.from(graphemes.segment(text), ({ segment }) => segment)

/** Prose, broken between words where that is possible. */
export const wrapWords = (text: string, width: number): string[] =>
  wrapAnsi(text, Math.max(1, width), { hard: true }).split('\n')

/** Text broken between words, of which nothing is left out, not even blanks. */
export const wrapExact = (text: string, width: number): string[] =>
  wrapAnsi(text, Math.max(1, width), { hard: true, trim: false }).split('\n')

/** Code, broken where the line ends; every blank counts. */
export const wrapCode = (text: string, width: number): string[] =>
  wrapAnsi(text, Math.max(1, width), { hard: true, wordWrap: false, trim: false }).split('\n')

/** One line of plain text in at most `width` columns. */
export function cut(text: string, width: number): string {
  const flat = tame(text).replace(/\s+/g, ' ').trim()
  if (cells(flat) <= width) return flat
  let kept = ''
  let used = 0
  for (const grapheme of graphemesOf(flat.slice(0, width * 8))) {
    const wide = cells(grapheme)
    if (used + wide > width - 1) break
    kept += grapheme
    used += wide
  }
  return width < 1 ? '' : `${kept}…`
}

export const padTo = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - cells(text)))
