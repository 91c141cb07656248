import type { Part } from '../../../contract/messages.ts'
import type { ProviderType } from '../../../contract/settings.ts'
import { DEFAULT_ACCOUNT } from '../accounts.ts'

/** Our own mark among the vendors'. */
const MARK = 'troupe'

/** Reasoning that this vendor encrypts can be read back by the account it was made for, and by no other. */
const sealing: readonly ProviderType[] = ['openai']

/** Notes the account on what only that account can read. */
export function seal(part: Part, type: ProviderType, account: string): Part {
  if (part.type !== 'reasoning' || account === DEFAULT_ACCOUNT || !sealing.includes(type)) return part
  return { ...part, providerMetadata: { ...part.providerMetadata, [MARK]: { account } } }
}

export function isSealedFor(part: Part, to: { readonly type: ProviderType; readonly account: string }): boolean {
  if (part.type !== 'reasoning' || !sealing.includes(to.type)) return true
  const mark = part.providerMetadata?.[MARK] as { account?: unknown } | undefined
  return (mark?.account ?? DEFAULT_ACCOUNT) === to.account
}
