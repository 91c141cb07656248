import type { ProviderType } from '../../../contract/settings.ts'

/** Where nothing is known of a model: room to think, and yet an end. */
const USUAL = 32_000
/** A model that thinks spends most of this on thoughts. */
const THINKING = 64_000
/** An answer that would not even have so many tokens is not worth asking for. */
const LEAST = 256
/** Where the vendor refuses a limit without naming its own. */
const SMALL = 4096

/** The families whose limit is lower, or higher, than the usual one; the first that fits counts. */
const families: readonly [type: ProviderType, model: RegExp, tokens: number][] = [
  // The package for this vendor knows its models, and lowers what is too much for one.
  ['anthropic', /./, THINKING],
  ['openai', /^(gpt-3\.5|gpt-4-turbo)/, 4096],
  ['openai', /^gpt-4(-|$)/, 8192],
  ['openai', /^(gpt-4o|chatgpt-4o)/, 16_384],
  ['openai', /^gpt-4\.1/, 32_768],
  ['openai', /^(gpt-[5-9]|o\d)/, THINKING],
  ['google', /^gemini-(1|2\.0)/, 8192],
  ['google', /^gemini/, THINKING],
]

/** How many tokens a model is allowed to write where the agent does not say: its own limit, and no more than half its window. */
export function outputLimit(type: ProviderType, modelId: string, window: number | undefined): number {
  const known = families.find(([family, model]) => family === type && model.test(modelId))?.[2] ?? USUAL
  return window === undefined ? known : Math.max(LEAST, Math.min(known, Math.floor(window / 2)))
}

/** How vendors say which limit the model has. */
const NAMED = [
  /supports? at most (\d+)/i,
  /max_tokens: \d+ > (\d+)/i,
  /less than or equal to `?(\d+)/i,
  /range is from 1 \(inclusive\) to (\d+)/i,
]
/** How a broker says what the credit is good for, and servers with a small window what the input leaves of it. */
const LEFT = [
  /can only afford (\d+)/i,
  /maximum context length is (\d+) tokens and your request has (\d+) input/i,
  /maximum context length is (\d+) tokens.{0,60}\((\d+) (?:tokens )?in (?:the messages|your prompt|the prompt)/i,
]
const ABOUT_OUTPUT = /max_(completion_|output_|new_)?tokens|maxOutputTokens/i

/** The limit with which a request may be taken that was refused for its limit. */
export interface Fits {
  readonly tokens: number
  /** It is the model's, not one of this moment. */
  readonly lasting: boolean
}

/** Undefined if the limit was not why the request was refused. */
export function smallerOutput(message: string, asked: number): Fits | undefined {
  const named = numberIn(NAMED, message)
  const left = numberIn(LEFT, message)
  const lasting = left === undefined
  const tokens = named ?? left ?? (ABOUT_OUTPUT.test(message) ? SMALL : 0)
  return tokens >= LEAST && tokens < asked ? { tokens, lasting } : undefined
}

/** The number in the sentence, or the difference of the two that it names. */
function numberIn(sentences: readonly RegExp[], message: string): number | undefined {
  const [, all, used = '0'] = sentences.flatMap((words) => words.exec(message) ?? [])
  return all === undefined ? undefined : Number(all) - Number(used)
}
