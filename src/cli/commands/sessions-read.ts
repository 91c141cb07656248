import type { Cli } from '../cli.ts'
import { connect } from '../connect.ts'
import { paint, say, tell } from '../print.ts'
import { table } from '../table.ts'

/** What the model of a session is sent before the conversation. */
export async function prompt(cli: Cli, ref: string): Promise<void> {
  const client = await connect(cli)
  const answer = await client.call('GET /api/sessions/{ref}/prompt', { params: { ref } })
  tell(cli, answer, ({ text, sections }) => {
    say(text)
    const total = sections.reduce((sum, { tokens }) => sum + tokens, 0)
    say('')
    table(
      [
        ...sections.map(({ tag, tokens }) => ({ section: tag, tokens: String(tokens) })),
        { section: 'all', tokens: String(total) },
      ],
      '',
    )
  })
}

/** How full its window is, and of what. */
export async function context(cli: Cli, ref: string): Promise<void> {
  const client = await connect(cli)
  tell(cli, await client.call('GET /api/sessions/{ref}/context', { params: { ref } }), (found) => {
    const { parts, tokens, counted, next, window, windowKnown, compactsAt, summedTo, compactions } = found
    const share = (of: number): string => `${Math.round((of / window) * 100)}%`
    const rows = [...parts, { part: 'all', tokens }].map((one) => ({
      part: one.part,
      tokens: String(one.tokens),
      window: share(one.tokens),
    }))
    table(rows, '')
    const facts = [
      `The model reads ${windowKnown ? '' : 'an unknown number of tokens, taken to be '}${window}. The sizes are estimates.`,
      counted === undefined ? '' : `Its vendor counted ${counted} at the newest answer.`,
      compactsAt === undefined
        ? 'This history is never compacted.'
        : `The next request has it read about ${next}; from ${compactsAt} on the history is compacted first.`,
      compactions === 0
        ? ''
        : `Compacted ${compactions === 1 ? 'once' : `${compactions} times`}${summedTo > 0 ? `; the messages up to ${summedTo} are read as a summary` : ''}.`,
    ]
    say(paint('dim', facts.filter(Boolean).join('\n')))
  })
}
