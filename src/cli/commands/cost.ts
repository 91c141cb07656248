import { type Command, Option } from 'commander'
import { type Budgets, type Cost, CostBy } from '../../contract/cost.ts'
import { troupe } from '../called.ts'
import { action, type Cli } from '../cli.ts'
import { connect } from '../connect.ts'
import { paint, price, say, tell } from '../print.ts'
import { shortRun } from '../runs/ref.ts'
import { table } from '../table.ts'

export default function define(command: Command): void {
  command
    .addOption(new Option('--by <what>', 'agent, model, day or run').choices([...CostBy.options]).default('day'))
    .option('--since <day>', 'only from this day on, for example 2026-01-31')
    .option('--all-projects', 'not only this project')
    .action(action(cost))
}

interface Options {
  readonly by: CostBy
  readonly since?: string
  readonly allProjects?: boolean
}

async function cost(cli: Cli, { by, since, allProjects }: Options): Promise<void> {
  const client = await connect(cli)
  const query = { by, since, ...(allProjects ? { project: '*' } : {}) }
  const { items } = await client.call('GET /api/cost', { query })
  const { items: budgets } = await client.call('GET /api/budgets', {})
  tell(cli, { items, budgets }, () => {
    const rows = [...items, ...(items.length > 1 ? [total(items)] : [])].map((item) => ({
      [by]: by === 'run' ? nameOfRun(item) : item.key,
      answers: String(item.messages),
      input: String(item.tokens.input),
      cached: share(item),
      output: String(item.tokens.output),
      cost: price(item.costUsd, item.unpricedTokens),
    }))
    table(rows, 'Nothing has been spent.')
    if (budgets.length > 0) {
      say('')
      table(budgets.map(budgetLine), '')
    }
    if (items.some(({ unpricedTokens }) => unpricedTokens > 0)) {
      say(
        paint(
          'dim',
          `\nUnknown price: set it with providers.<name>.prices, or fetch new ones with "${troupe} models update".`,
        ),
      )
    }
  })
}

const nameOfRun = ({ key, title }: Cost): string =>
  title === undefined ? key || '(in no run)' : `${shortRun({ id: key })} ${title}`

const budgetLine = ({ name, limitUsd, spentUsd, reservedUsd, leftUsd, waiting }: Budgets['items'][number]) => ({
  budget: name,
  limit: price(limitUsd, 0),
  spent: price(spentUsd, 0),
  reserved: price(reservedUsd, 0),
  left: price(leftUsd, 0),
  waiting: waiting === 0 ? '' : String(waiting),
})

/** The share of the input that came out of the vendor's cache. */
const share = ({ tokens }: Cost): string =>
  tokens.input === 0 ? '' : `${Math.round((tokens.cached / tokens.input) * 100)}%`

function total(items: readonly Cost[]): Cost {
  const sum = (of: (item: Cost) => number): number => items.reduce((all, item) => all + of(item), 0)
  return {
    key: 'all',
    messages: sum(({ messages }) => messages),
    tokens: {
      input: sum(({ tokens }) => tokens.input),
      output: sum(({ tokens }) => tokens.output),
      cached: sum(({ tokens }) => tokens.cached),
      reasoning: sum(({ tokens }) => tokens.reasoning),
    },
    costUsd: sum(({ costUsd }) => costUsd),
    unpricedTokens: sum(({ unpricedTokens }) => unpricedTokens),
  }
}
