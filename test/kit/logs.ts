import type { Message } from '../../src/contract/messages.ts'
import type { Session } from '../../src/contract/sessions.ts'
import type { World } from './world.ts'

export const read = (path: string) => ({ name: 'read_file', input: { path } })
export const files = { 'a.txt': 'alpha', 'b.txt': 'beta' }

/** A conversation with two calls in its middle. */
export async function withCalls(world: World): Promise<{ session: Session; log: Message[] }> {
  world.vendor.reply({ text: 'Let me see.', calls: [read('a.txt'), read('b.txt')] }, { text: 'Both read.' })
  const session = await world.session()
  await world.say(session.id, 'Read both')
  return { session, log: await world.messages(session.id) }
}
