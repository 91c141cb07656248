import type { Client } from '../client/client.ts'
import type { Session } from '../contract/sessions.ts'

/** The conversation with an agent that a person would go on with. */
export async function latestWith(client: Client, agent: string): Promise<Session | undefined> {
  const { items } = await client.call('GET /api/sessions', { query: { agent, limit: 20 } })
  return items
    .filter((session) => session.mode === 'chat' && !session.deletedAt)
    .sort((a, b) => b.updatedAt.localeCompare(a.updatedAt))[0]
}
