import { tokensIn, weightOf } from '../../sessions/index.ts'
import type { Turn } from '../turn.ts'
import { fixedTokens } from './size.ts'

interface Part {
  readonly what: string
  readonly tokens: number
  readonly help: string
}

/** Why a prompt is too large for its model and stays so, with the sizes of what it is made of, the largest first. */
export function whyTooLarge(turn: Turn, window: string): string {
  const parts = partsOf(turn).toSorted((a, b) => b.tokens - a.tokens)
  const [largest] = parts
  const sizes = parts.map(({ what, tokens }) => `${what} about ${tokens}`).join(', ')
  return `The prompt is too large for ${turn.setup.model}, which reads ${window}, and a compaction cannot make it smaller. In tokens: ${sizes}. The cause is ${largest?.what}: ${largest?.help}, or choose another model, with a larger window, with "troupe sessions model".`
}

function partsOf({ setup, schemas, history }: Turn): Part[] {
  const { prompt, tools } = fixedTokens({ setup, schemas })
  const sizes = history.messages.map((message) => ({ message, tokens: tokensIn(weightOf(message)) }))
  const [largest = { message: undefined, tokens: 0 }] = sizes.toSorted((a, b) => b.tokens - a.tokens)
  const rest = sizes.reduce((sum, { tokens }) => sum + tokens, 0) - largest.tokens
  const message = largest.message && {
    what: `message ${largest.message.seq} (${largest.message.role})`,
    tokens: largest.tokens,
    help: 'delete or shorten it, or send it in parts',
  }
  return [
    {
      what: 'the system prompt',
      tokens: prompt,
      help: 'shorten what it is made of ("troupe sessions prompt" shows it)',
    },
    { what: 'the tool list', tokens: tools, help: 'give the agent fewer tools (tools.allow in its agent.json)' },
    ...(message ? [message] : []),
    ...(rest > 0 ? [{ what: 'the other messages', tokens: rest, help: 'clear the session, or begin a new one' }] : []),
  ]
}
