import type { Client } from '../client/client.ts'
import { asCalled, troupe } from './called.ts'
import type { Cli } from './cli.ts'
import { note } from './print.ts'

/** Whether everything stands still. The token of a session may not know. */
export const isPaused = async (client: Client): Promise<boolean> =>
  (await client.call('GET /api/presence').catch(() => undefined))?.pausedSince !== undefined

export const ALL_PAUSED = `everything is paused: it goes on with "${troupe} resume --all".`

export const NOTHING_BEGINS = `Nothing begins now, because everything is paused. Go on with "${troupe} resume --all".`

/** What the server said beside its answer, with commands that work here. */
export function noteHint(cli: Cli, { hint }: { readonly hint?: string | undefined }): void {
  if (!cli.json && hint) note(asCalled(hint))
}

/** Before a wait that would end with nothing. Whoever acts as a session may not ask. */
export async function noteStandstill(cli: Cli, client: Client): Promise<void> {
  if (!cli.json && !cli.acting && (await isPaused(client))) note(NOTHING_BEGINS)
}

/** What a chat says when that changes. */
export const standstillLine = (paused: boolean): string => (paused ? NOTHING_BEGINS : 'Everything goes on again.')
