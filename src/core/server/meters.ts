import { SessionStatus } from '../../contract/sessions.ts'
import { countAll } from '../../store/counts.ts'
import { countTurns } from '../../store/meters.ts'
import type { Core } from '../base/index.ts'
import { costs } from '../spending/index.ts'

/** A number that a program watches; `labels` tells the values of one name apart. */
export interface Meter {
  readonly name: string
  readonly help: string
  readonly type: 'gauge' | 'counter'
  readonly values: readonly { readonly labels?: Readonly<Record<string, string>>; readonly value: number }[]
}

/** Counts over all projects, read aside because they look at every row. */
export async function meters(core: Core): Promise<Meter[]> {
  const { value } = await core.store.aside(async (db) => ({
    counts: await countAll(db, core.clock.now()),
    work: await countTurns(db),
    spent: await costs(core, { project: '*', by: 'model' }, db),
  }))
  const { counts, work, spent } = value
  const ofModels = (of: (item: (typeof spent)[number]) => number) =>
    spent.map((item) => ({ labels: { model: item.key }, value: of(item) }))
  return [
    {
      name: 'troupe_sessions',
      help: 'Sessions by status.',
      type: 'gauge',
      values: SessionStatus.options.map((status) => ({ labels: { status }, value: counts.sessions[status] ?? 0 })),
    },
    gauge('troupe_mail_waiting', 'Mail that no session has read yet.', counts.mailWaiting),
    gauge('troupe_inbox_open', 'Items that wait for the person.', counts.inboxOpen),
    counter('troupe_turns_total', 'Turns that were begun.', [{ value: work.turns }]),
    counter('troupe_model_calls_total', 'Steps that models made.', [{ value: work.steps }]),
    counter(
      'troupe_tokens_total',
      'Tokens by model and kind.',
      spent.flatMap(({ key: model, tokens }) =>
        Object.entries(tokens).map(([kind, value]) => ({ labels: { model, kind }, value })),
      ),
    ),
    counter(
      'troupe_unpriced_tokens_total',
      'Tokens whose price is not known.',
      ofModels(({ unpricedTokens }) => unpricedTokens),
    ),
    counter(
      'troupe_cost_usd_total',
      'Dollars by model, where the price is known.',
      ofModels(({ costUsd }) => costUsd),
    ),
  ]
}

export const gauge = (name: string, help: string, value: number): Meter => ({
  name,
  help,
  type: 'gauge',
  values: [{ value }],
})

const counter = (name: string, help: string, values: Meter['values']): Meter => ({
  name,
  help,
  type: 'counter',
  values,
})
