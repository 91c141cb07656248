import type { Client } from '../client/client.ts'
import { troupe } from './called.ts'

/** Whether everything stands still. The token of a session may not know. */
export const isPaused = async (client: Client): Promise<boolean> =>
  (await client.call('GET /api/presence').catch(() => undefined))?.pausedSince !== undefined

export const ALL_PAUSED = `everything is paused: it goes on with "${troupe} resume --all".`
