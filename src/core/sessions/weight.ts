import type { Message, Part } from '../../contract/messages.ts'

/** What a message has around its text: who wrote it, and the marks of the vendor. */
const AROUND = 60
/** A picture or a page costs about as much as so much text, however large its file is. */
const FILE = 6000

/** How many bytes a model reads of a message, about. */
export const weightOf = ({ parts }: Pick<Message, 'parts'>): number =>
  parts.reduce((sum, part) => sum + weightOfPart(part), AROUND)

export function weightOfPart(part: Part): number {
  if (part.type === 'text' || part.type === 'reasoning') return Buffer.byteLength(part.text)
  if (part.type === 'file') return FILE
  if (part.type === 'tool-call') return part.name.length + bytesOf(part.input)
  return bytesOf(part.output) + FILE * (part.files?.length ?? 0)
}

const bytesOf = (value: unknown): number =>
  Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value ?? null))

/** Bytes of a token: so few that the estimate is rather too high than too low. */
const BYTES = 3

export const tokensIn = (bytes: number): number => Math.ceil(bytes / BYTES)
