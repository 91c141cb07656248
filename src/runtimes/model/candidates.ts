import type { AccountInfo, Candidate, Candidates } from '../../core/base/index.ts'
import type { Account } from './accounts.ts'
import type { Limiter } from './limits/limiter.ts'
import { type Provider, pickModel } from './vendors/providers.ts'

/** The pairs of a chain in order, without those that cannot be used; exhausted accounts come last. */
export function candidatesFor(
  providers: readonly Provider[],
  models: readonly string[],
  limiterOf: (account: Account) => Limiter,
): Candidates {
  const fresh: Candidate[] = []
  const exhausted: Candidate[] = []
  const left: { model: string; reason: string }[] = []
  for (const model of new Set(models)) {
    const picked = pickModel(providers, model)
    if ('kind' in picked) {
      left.push({ model, reason: picked.message })
      continue
    }
    for (const account of picked.provider.accounts) {
      if (account.reason) continue
      ;(limiterOf(account).exhausted ? exhausted : fresh).push({ model, account: account.name })
    }
  }
  return { usable: [...fresh, ...exhausted], left }
}

/** What a person may know of the credentials: everything but what is in them. */
export function accountInfos(providers: readonly Provider[], limiterOf: (account: Account) => Limiter): AccountInfo[] {
  return providers
    .filter(({ type, name, models }) => type !== 'demo' && !(name === 'ollama' && models.length === 0))
    .flatMap(({ name: provider, accounts }) =>
      accounts.map((account) => {
        const { exhausted, waiting } = limiterOf(account)
        const reason = account.reason ?? exhausted?.reason
        return {
          provider,
          name: account.name,
          usable: !account.reason,
          ...(reason === undefined ? {} : { reason }),
          ...(exhausted === undefined ? {} : { exhaustedUntil: exhausted.until }),
          waiting,
        }
      }),
    )
}
