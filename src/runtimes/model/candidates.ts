import type { AccountState } from '../../contract/models.ts'
import type { Candidate, Candidates, Project, StepRequest } from '../../core/base/index.ts'
import { iso } from '../../lib/clock.ts'
import type { Account } from './accounts.ts'
import type { Limiter } from './limits/limiter.ts'
import { type Picked, type Provider, pickModel } from './vendors/providers.ts'

/** Where a request goes and with which credentials. */
export interface Destination extends Picked {
  readonly project: Project
  readonly account: Account
  /** The secrets of every account there is: no message may repeat one. */
  readonly secrets: readonly string[]
}

export interface ModelCandidate extends Candidate {
  readonly destination: Destination
}

export interface ModelStep extends StepRequest {
  readonly candidate: ModelCandidate
}

interface ModelCandidates extends Candidates {
  readonly usable: readonly ModelCandidate[]
}

/** The candidates of these models in order, without those that cannot be used; exhausted accounts come last. */
export function candidatesFor(
  providers: readonly Provider[],
  models: readonly string[],
  limiterOf: (account: Account) => Limiter,
  project: Project,
): ModelCandidates {
  const secrets = providers.flatMap(({ accounts }) => accounts.flatMap((account) => account.secrets))
  const fresh: ModelCandidate[] = []
  const exhausted: ModelCandidate[] = []
  const left: { model: string; reason: string }[] = []
  for (const model of new Set(models)) {
    const picked = pickModel(providers, model)
    if ('problem' in picked) {
      left.push({ model, reason: picked.problem })
      continue
    }
    for (const account of picked.provider.accounts) {
      if (account.reason) continue
      const destination = { ...picked, account, secrets, project }
      const { patienceMs } = picked.provider
      const candidate = { model, account: account.name, patienceMs, destination }
      ;(limiterOf(account).exhausted ? exhausted : fresh).push(candidate)
    }
  }
  return { usable: [...fresh, ...exhausted], left }
}

/** What a person may know of the credentials: everything but what is in them. */
export function accountStates(
  providers: readonly Provider[],
  limiterOf: (account: Account) => Limiter,
): AccountState[] {
  return providers
    .filter(
      ({ type, name, models }) => type !== 'demo' && type !== 'replay' && !(name === 'ollama' && models.length === 0),
    )
    .flatMap(({ name: provider, accounts }) =>
      accounts.map((account) => {
        const { exhausted, closure, waiting } = limiterOf(account)
        const reason = account.reason ?? exhausted?.reason ?? closure?.reason
        return {
          provider,
          name: account.name,
          usable: !account.reason,
          ...(reason === undefined ? {} : { reason }),
          ...(exhausted === undefined ? {} : { exhaustedUntil: iso(exhausted.until) }),
          ...(closure === undefined ? {} : { closedSince: iso(closure.since), closedUntil: iso(closure.until) }),
          waiting,
        }
      }),
    )
}
