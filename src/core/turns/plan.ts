import { isReplay } from '../../contract/recordings.ts'
import type { Candidate, Candidates, Closure, Quote } from '../base/index.ts'
import { affordable } from '../spending/index.ts'
import { createCandidateChoice, type Plan } from './candidate-choice.ts'
import type { Turn } from './turn.ts'

/** Looks up the candidates of a step: the agent's model, then its fallbacks. */
export async function planStep(turn: Turn, models: readonly string[] = modelsOf(turn)): Promise<Plan> {
  const { core, failed } = turn
  const { usable, left, quotes } = await candidatesOf(turn, models)
  const order = [
    ...usable.filter((one) => !failed.has(candidateName(one))),
    ...usable.filter((one) => failed.has(candidateName(one))),
  ]
  const choice = createCandidateChoice({ clock: core.clock, closure: (one) => closureOf(turn, one) }, order)
  const candidate = choice.next() ?? order[0]
  if (candidate !== undefined)
    return { choice, candidate, quotes, unusable: left.find(({ model }) => model === models[0]) }
  const priceless = left.find(({ end }) => end !== undefined)
  if (priceless) return { problem: priceless.reason, end: 'limit', unpriced: priceless.model }
  const reason = left[0]?.reason ?? `No model can be used: ${models.join(', ')}.`
  return {
    problem: `${reason} Choose one with "troupe sessions model"; for new sessions, in the agent's file or as defaultModel in the settings.`,
  }
}

/** A recording that cannot be played is not made up for by a model. */
export const modelsOf = ({ setup: { model, definition } }: Pick<Turn, 'setup'>): string[] =>
  isReplay(model) ? [model] : [model, ...(definition.fallbackModels ?? [])]

/** A runtime that asks no models has one way to take a step. */
async function candidatesOf(
  { project, setup, purse }: Turn,
  models: readonly string[],
): Promise<Candidates & { readonly quotes: ReadonlyMap<Candidate, Quote> }> {
  const known = setup.runtime.models
  const quotes = new Map()
  if (known === undefined)
    return {
      usable: [{ model: setup.model, account: 'default', patienceMs: 0, destination: undefined }],
      left: [],
      quotes,
    }
  const found = await known.candidates(project, models)
  return purse === undefined ? { ...found, quotes } : affordable(known, purse.limits, found)
}

export const closureOf = ({ setup }: Turn, candidate: Candidate): Closure | undefined =>
  setup.runtime.models?.closure(candidate)

/** The candidate's name for people; the default account is left out. */
export const candidateName = ({ model, account }: Candidate): string =>
  account === 'default' ? model : `${model} (${account})`
