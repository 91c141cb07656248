/** What the stand-in answers. It is data, so that a script may come from a JSON file too. */
export interface Reply {
  text?: string
  /** The pieces in which the text is streamed, or their number. Default: one per word. */
  chunks?: number | readonly string[]
  reasoning?: string
  calls?: readonly ScriptedCall[]
  usage?: Partial<Usage>
  /** What a broker says that the answer cost, in USD. */
  cost?: number
  /** The vendor's own word for why the model stopped. Default: what a vendor would say here. */
  finish?: string
  error?: VendorError
  /** Reset the connection after this share of the bytes. */
  cut?: number
  /** End the response properly after this share of the bytes. */
  truncate?: number
  /** Send all but the end, then nothing more until the client goes away. */
  hang?: true
  /** Called when the connection of a reply that hangs is closed. */
  gone?: () => void
  /** A line that is not JSON in the middle of the stream. */
  garbage?: true
  /**
   * One piece over and over, until so many megabytes are sent or the client goes away: of the text, of a call's input (each
   * with some x in it), comments, or a line without an end.
   */
  flood?: { of: 'text' | 'call' | 'comments' | 'line'; megabytes: number }
  /** Status 200 and not a byte. */
  empty?: true
  /** Answer only after this: a promise, or milliseconds. */
  delay?: Promise<unknown> | number
}

interface ScriptedCall {
  name: string
  /** A string is sent as it is, so arguments can be broken on purpose. */
  input: unknown
  id?: string
}

interface Usage {
  input: number
  output: number
  cached: number
  reasoning: number
}

export interface VendorError {
  kind: 'rate-limit' | 'overloaded' | 'server' | 'auth' | 'bad-request' | 'context' | 'not-found' | 'broke' | 'policy'
  /** The value of the Retry-After header: seconds or a date. */
  retryAfter?: number | string
  /** The error comes inside a stream with status 200, after the text of the reply. */
  inStream?: true
  status?: number
  message?: string
}

export type Protocol = 'openai' | 'anthropic' | 'responses' | 'google' | 'openrouter'

/** A request in words that are the same for all protocols. */
export interface SeenRequest {
  /** Counted from 1 over the life of the server. */
  number: number
  protocol: Protocol
  model: string
  key: string
  system: string
  messages: SeenMessage[]
  tools: string[]
  maxTokens: number | undefined
  /** The newest user text, the marker line included. */
  lastUserText: string
  /** The body as it was received. */
  body: Record<string, unknown>
}

export interface SeenMessage {
  role: 'user' | 'assistant' | 'tool'
  text: string
  reasoning: string
  calls: { id: string; name: string; input: unknown }[]
  results: { id: string; text: string; error: boolean }[]
  files: number
}

export interface Rejection {
  number: number
  protocol: Protocol
  reason: string
  body: Record<string, unknown>
}

export const blankMessage = (role: SeenMessage['role']): SeenMessage => ({
  role,
  text: '',
  reasoning: '',
  calls: [],
  results: [],
  files: 0,
})

export const defaultUsage: Usage = { input: 100, output: 20, cached: 0, reasoning: 0 }

/** The pieces a text is streamed in. */
export function pieces(text: string, chunks: Reply['chunks']): readonly string[] {
  if (text === '') return []
  if (typeof chunks === 'object') return chunks
  if (chunks === undefined) return text.match(/\S+\s*|\s+/g) ?? []
  const size = Math.max(1, Math.ceil(text.length / chunks))
  return Array.from({ length: Math.ceil(text.length / size) }, (_, i) => text.slice(i * size, (i + 1) * size))
}

/** The JSON of a call's input, as the vendor would stream it. */
export const argumentsOf = (call: ScriptedCall): string =>
  typeof call.input === 'string' ? call.input : JSON.stringify(call.input)

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const listOf = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.filter((item) => isRecord(item)) : []
