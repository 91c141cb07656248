import { angleMark, disarm, squareMark } from '../../lib/lookalikes.ts'

const IMITATION = /^[^\p{L}\p{N}]*\[[^\p{L}\p{N}]*(message|question)[^\p{L}\p{N}]*from/u

/**
 * Text from outside may not speak in the runtime's voice: in a line that reads like the marker of a message, in whatever
 * letters and brackets, the brackets get a backslash.
 */
export const defuse = (text: string): string => disarm(text, squareMark, IMITATION, (bracket) => `\\${bracket}`)

/** Text from outside cannot close the section it stands in, or open another of these. */
export const defuseTags = (text: string, tags: readonly string[]): string =>
  disarm(text, angleMark, tagsPattern(tags), () => '&lt;')

const tagsPattern = (tags: readonly string[]): RegExp =>
  new RegExp(`^<[^\\p{L}\\p{N}]{0,8}(${tags.join('|')})[^\\p{L}\\p{N}]{0,8}(>|$)`, 'u')
