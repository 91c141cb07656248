import type { Client } from '../../client/client.ts'
import { troupe } from '../called.ts'
import type { Cli } from '../cli.ts'
import { note, paint, say } from '../print.ts'
import { atTerminal, chosen, typed } from '../questions.ts'

const OFFERED = [1, 5, 20]
const OTHER = 'another'
const NONE = 'none'

/** Before an agent costs anything for the first time, a person at a terminal says how much it may be in a day. Nobody else is asked. */
export async function settleDailyLimit(cli: Cli, client: Client, agent: string): Promise<void> {
  if (cli.acting || cli.json || !atTerminal()) return
  const { askDaily } = await client.call('GET /api/budgets', { query: { agent } })
  if (!askDaily) return
  const limit = await askFor()
  if (limit === undefined) {
    note(`No limit is set; you are asked again. To decide later: ${troupe} config set limits.dailyCostUsd 5`)
    return
  }
  await client.call('PATCH /api/settings', { body: { where: 'home', changes: { 'limits.dailyCostUsd': limit } } })
  const said = limit === NONE ? 'No daily limit.' : `All agents together spend at most $${limit} a day.`
  say(paint('dim', `${said} Change it with: ${troupe} config set limits.dailyCostUsd …`))
}

async function askFor(): Promise<number | typeof NONE | undefined> {
  const answer = await chosen('This agent costs money. How much may all agents together spend a day?', [
    ...OFFERED.map((usd) => ({ value: usd as number | typeof OTHER | typeof NONE, label: `$${usd}` })),
    { value: OTHER, label: 'another amount' },
    { value: NONE, label: 'no limit' },
  ])
  if (answer !== OTHER) return answer
  const amount = await typed('How many US dollars a day?', {
    placeholder: '10',
    defaultValue: '10',
    problem: (text) => (amountIn(text) === undefined ? 'Type an amount above 0, such as 2.50.' : undefined),
  })
  return amount === undefined ? undefined : amountIn(amount)
}

function amountIn(text: string): number | undefined {
  const amount = Number(text.trim().replace(/^\$/, ''))
  return Number.isFinite(amount) && amount > 0 ? amount : undefined
}
