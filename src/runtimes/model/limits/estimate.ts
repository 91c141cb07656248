import type { Message, Tokens } from '../../../contract/messages.ts'
import type { StepRequest } from '../../../core/base/index.ts'

/** Characters of a token: so few that the estimate is rather too high than too low. */
const CHARS = 3

/** What the vendor counted. Where it did not count, or not to the end, our estimate stands in for what is missing. */
export function atLeast(counted: Tokens, request: StepRequest, answerChars: number, complete: boolean): Tokens {
  const output = tokensIn(answerChars)
  if (counted.input + counted.output === 0) return { input: inputOf(request), output, cached: 0, reasoning: 0 }
  return complete ? counted : { ...counted, output: Math.max(counted.output, output) }
}

const inputOf = ({ system, tools, history }: StepRequest): number =>
  tokensIn(system.length + sizeOf(tools) + sum(history, charsIn))

const tokensIn = (chars: number): number => Math.ceil(chars / CHARS)

/** Pictures and documents are not text, and are left out. */
const charsIn = ({ parts }: Pick<Message, 'parts'>): number =>
  sum(parts, (part) => {
    if (part.type === 'tool-call') return sizeOf(part.input)
    if (part.type === 'tool-result') return sizeOf(part.output)
    return part.type === 'file' ? 0 : part.text.length
  })

const sizeOf = (value: unknown): number =>
  typeof value === 'string' ? value.length : JSON.stringify(value ?? null).length

const sum = <T>(list: readonly T[], of: (item: T) => number): number => list.reduce((all, item) => all + of(item), 0)
