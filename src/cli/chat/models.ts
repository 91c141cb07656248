import type { Client } from '../../client/client.ts'

/** The model that a new session of this agent would ask first. */
export async function modelFor(client: Client, agent: string): Promise<string | undefined> {
  const { definition } = await client.call('GET /api/agents/{name}', { params: { name: agent } })
  const own = definition.modes?.chat?.model ?? definition.model
  return own ?? (await client.all('GET /api/models')).find(({ isDefault }) => isDefault)?.name
}
