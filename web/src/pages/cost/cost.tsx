import '../../styles/cost.css'
import { type ReactNode, useState } from 'react'
import type { Cost as CostRow } from '../../../../src/contract/cost.ts'
import { money, tokens } from '../../parts/figures.tsx'
import { attempt, Button, Empty, Failed, Skeleton } from '../../parts/small.tsx'
import { Page } from '../../shell/page.tsx'
import { useAddress } from '../../state/address.ts'
import { day, everyDay, sum, useCosts } from '../../state/costs.ts'
import { useBudgets, useStatus } from '../../state/money.ts'
import { useRuns } from '../../state/runs.ts'
import { Chart } from './chart.tsx'
import { Limits } from './limits.tsx'

const spans = [
  ['7', '7 days'],
  ['14', '14 days'],
  ['30', '30 days'],
] as const
const bys = [
  ['agent', 'Agent'],
  ['run', 'Run'],
  ['model', 'Model'],
  ['day', 'Day'],
] as const

/** What was spent: by day, and by whom or for what. What has no known price is said to be unknown. */
export function Cost(): ReactNode {
  const [{ days = '14', by = 'agent' }, change] = useAddress()
  const count = spans.some(([key]) => key === days) ? Number(days) : 14
  const since = day(count - 1)
  const daily = useCosts('day', since)
  const rows = useRows(by, since, count)
  const all = everyDay(daily.value ?? [], count)
  const total = sum(all)
  return (
    <Page
      title="Cost"
      className="cost"
      aside={
        <>
          <Choice
            label="Span"
            options={spans}
            value={String(count)}
            choose={(key) => change({ days: key === '14' ? undefined : key })}
          />
          <Choice
            label="By"
            options={bys}
            value={by}
            choose={(key) => change({ by: key === 'agent' ? undefined : key })}
          />
          <CopyCsv rows={rows ?? []} by={by} />
        </>
      }
    >
      <Figures today={all.at(-1)!} total={total} days={count} />
      {daily.value === undefined ? (
        daily.failure ? (
          <Failed failure={daily.failure} retry={daily.refresh} />
        ) : (
          <Skeleton rows={6} />
        )
      ) : (
        <Chart days={all} />
      )}
      <div className="cost-below">
        <section aria-label={`By ${by}`}>{rows && <Table rows={rows} by={by} total={total.costUsd} />}</section>
        <Limits />
      </div>
    </Page>
  )
}

/** Runs carry their own cost; days, agents and models are counted by the server. */
function useRows(by: string, since: string, count: number): readonly CostRow[] | undefined {
  const asked = useCosts(by === 'model' ? 'model' : by === 'day' ? 'day' : 'agent', since).value
  const runs = useRuns().value
  if (by === 'run')
    return runs
      ?.filter(({ createdAt }) => Date.parse(createdAt) >= Date.parse(`${since}T00:00:00`))
      .map(({ title, costUsd, unpricedTokens }) => ({
        key: title,
        messages: 0,
        tokens: { input: 0, output: 0, cached: 0, reasoning: 0 },
        costUsd,
        unpricedTokens,
      }))
      .toSorted(byCost)
  if (by === 'day') return asked && everyDay(asked, count).toReversed()
  return asked?.toSorted(byCost)
}

const byCost = (a: CostRow, b: CostRow): number => b.costUsd - a.costUsd || b.unpricedTokens - a.unpricedTokens

function Figures({ today, total, days }: { today: CostRow; total: Omit<CostRow, 'key'>; days: number }): ReactNode {
  const limit = useBudgets().value?.dailyCostUsd
  const reserved = useStatus().value?.reservedUsd ?? 0
  const { input, cached } = total.tokens
  return (
    <dl className="cost-figures num">
      <div>
        <dt>Today</dt>
        <dd>{money(today.costUsd, today.unpricedTokens)}</dd>
        <dd className="small mute">{typeof limit === 'number' ? `of ${money(limit)}` : 'no daily limit'}</dd>
      </div>
      <div>
        <dt>{days} days</dt>
        <dd>{money(total.costUsd, total.unpricedTokens)}</dd>
        <dd className="small mute">{money(total.costUsd / days)} a day</dd>
      </div>
      <div>
        <dt>Reserved now</dt>
        <dd>{money(reserved)}</dd>
        <dd className="small mute">for calls in flight under a limit</dd>
      </div>
      <div>
        <dt>Read from cache</dt>
        <dd>{input > 0 ? `${Math.round((100 * cached) / input)}%` : '–'}</dd>
        <dd className="small mute">
          of {tokens(input)} tokens in{total.unpricedTokens > 0 && `; ${tokens(total.unpricedTokens)} without a price`}
        </dd>
      </div>
    </dl>
  )
}

const SHOWN = 100

function Table({ rows, by, total }: { rows: readonly CostRow[]; by: string; total: number }): ReactNode {
  const spent = rows.filter(
    ({ costUsd, unpricedTokens, messages }) => costUsd > 0 || unpricedTokens > 0 || messages > 0,
  )
  if (spent.length === 0)
    return (
      <div className="cost-none">
        <Empty title="Nothing was spent in this time">A scripted or a local model costs nothing.</Empty>
      </div>
    )
  const counted = by !== 'run'
  return (
    <table className="table cost-table">
      <thead>
        <tr>
          <th>{bys.find(([key]) => key === by)?.[1] ?? 'Agent'}</th>
          {counted && (
            <>
              <th className="r w-n">Answers</th>
              <th className="r w-n">Tokens in</th>
              <th className="r w-n">Tokens out</th>
              <th className="r w-n">Cached</th>
            </>
          )}
          <th className="w-share">Share</th>
          <th className="r w-n">Cost</th>
        </tr>
      </thead>
      <tbody>
        {spent.slice(0, SHOWN).map(({ key, messages, tokens: used, costUsd, unpricedTokens }, at) => (
          <tr key={`${key}${at}`}>
            <td title={key}>
              <span className={`cost-sw c${Math.min(at, 3) + 1}`} /> {key}
            </td>
            {counted && (
              <>
                <td className="r soft">{messages.toLocaleString('en')}</td>
                <td className="r soft">{tokens(used.input)}</td>
                <td className="r soft">{tokens(used.output)}</td>
                <td className="r soft">{used.input > 0 ? `${Math.round((100 * used.cached) / used.input)}%` : '–'}</td>
              </>
            )}
            <td className="small mute">
              {costUsd === 0 && unpricedTokens > 0 ? (
                'price unknown'
              ) : (
                <>
                  {costUsd > 0 && (
                    <span
                      className={`cost-share c${Math.min(at, 3) + 1}`}
                      style={{ width: Math.round((96 * costUsd) / Math.max(total, costUsd, 0.000_001)) }}
                    />
                  )}
                  {total > 0 && ` ${Math.round((100 * costUsd) / Math.max(total, costUsd))}%`}
                </>
              )}
            </td>
            <td className="r med">{money(costUsd, unpricedTokens)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Choice({
  label,
  options,
  value,
  choose,
}: {
  label: string
  options: readonly (readonly [string, string])[]
  value: string
  choose(key: string): void
}): ReactNode {
  return (
    <fieldset className="group" aria-label={label}>
      {options.map(([key, word]) => (
        <Button
          key={key}
          small
          className={value === key ? 'on' : ''}
          aria-pressed={value === key}
          onClick={() => choose(key)}
        >
          {word}
        </Button>
      ))}
    </fieldset>
  )
}

function CopyCsv({ rows, by }: { rows: readonly CostRow[]; by: string }): ReactNode {
  const [copied, setCopied] = useState(false)
  const copy = async (): Promise<void> => {
    const lines = rows.map(({ key, messages, tokens: used, costUsd, unpricedTokens }) =>
      [quoted(key), messages, used.input, used.output, used.cached, costUsd, unpricedTokens].join(','),
    )
    const head = `${by},answers,tokens_in,tokens_out,tokens_cached,cost_usd,tokens_without_price`
    if (await attempt(() => navigator.clipboard.writeText([head, ...lines].join('\n')))) setCopied(true)
  }
  return (
    <Button look="ghost" small icon={copied ? 'check' : 'copy'} className="cost-copy" onClick={() => void copy()}>
      {copied ? 'Copied' : 'Copy as CSV'}
    </Button>
  )
}

/** A spreadsheet takes what begins so for a formula. */
const quoted = (text: string): string => `"${text.replace(/^[=+\-@\t]/, "'$&").replaceAll('"', '""')}"`
