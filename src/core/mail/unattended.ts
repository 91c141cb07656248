import type { Unattended } from '../../contract/sessions.ts'
import { newId } from '../../lib/ids.ts'

/** How a person leaves work alone: with what `permissions.unattended` says, or with everything allowed. */
export type Alone = 'settings' | 'allow'

/** The chain's id says it: whatever the work sends, asks and spawns is in the same chain, and nothing else is. */
const prefixes: Record<Alone, string> = { settings: 'unattended', allow: 'allowed' }

export const newChainId = (alone: Alone | undefined): string => newId(alone === undefined ? 'chain' : prefixes[alone])

export const isUnattended = (chainId: string | null): boolean =>
  Object.values(prefixes).some((prefix) => chainId?.startsWith(`${prefix}_`))

/** How much may happen in the person's absence. Mail of others can lower this for a turn, never raise it. */
export const leniency = (chainId: string | null): number =>
  isUnattended(chainId) ? (chainId?.startsWith(`${prefixes.allow}_`) ? 2 : 1) : 0

/** Calls wait for the person, and are refused or allowed without asking only if the person said they are absent or away. */
export function policyFor(chainId: string | null, said: Unattended, away: boolean): Unattended {
  if (!isUnattended(chainId)) return away ? said : 'wait'
  return chainId?.startsWith(`${prefixes.allow}_`) ? 'allow' : said
}
