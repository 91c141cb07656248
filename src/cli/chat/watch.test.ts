import { expect, onTestFinished, test } from 'vitest'
import { createWorld, type World } from '../../../test/kit/world.ts'
import { createClient } from '../../client/client.ts'
import { fetchTransport } from '../../client/transport.ts'
import { onSession } from '../../core/base/index.ts'
import { appendMessages } from '../../core/sessions/history.ts'
import type { Cli } from '../cli.ts'
import { type Viewer, watchSession } from './watch.ts'

/** A viewer that keeps what it was told, in order. */
async function watch(world: World, session: string) {
  const seen: string[] = []
  const waiting = new Set<() => void>()
  const told = (what: string): void => {
    seen.push(what)
    for (const look of waiting) look()
  }
  const viewer: Viewer = {
    piece: (text) => told(`piece ${text}`),
    message: () => told('message'),
    appended: ({ seq }) => told(`log ${seq}`),
    ...{ tool() {}, toolFailed() {}, remark() {}, ended() {}, asked() {} },
  }
  const client = createClient({ transport: fetchTransport(world.server.url), token: world.server.token })
  const watched = await watchSession({ home: world.home, project: world.project } as Cli, client, session, viewer)
  onTestFinished(() => watched.close())
  const until = (fits: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => (fits() ? resolve() : undefined)
      waiting.add(look)
      look()
    })
  return { seen, until }
}

test('whoever opens a conversation in the middle of an answer gets its beginning', async () => {
  const world = await createWorld()
  world.vendor.script(() => ({ text: `Once upon a time. ${'And more of it. '.repeat(40)}`, hang: true }))
  const session = await world.session()
  const heard = world.streams('And more of it. And more')
  await world.send(session.id, 'Tell me')
  await heard
  const { seen, until } = await watch(world, session.id)
  await until(() => seen.length > 0)
  expect(seen[0]).toMatch(/^piece Once upon a time\./)
})

test('text that overtakes the message before it waits for that', async () => {
  const world = await createWorld()
  world.vendor.script(() => ({ text: 'Hi.' }))
  const session = await world.session()
  const { seen, until } = await watch(world, session.id)
  await world.say(session.id, 'Hello')
  await until(() => seen.includes('log 2'))
  const about = { project: world.server.core.project.id, sessionId: session.id, turnId: 'turn_9', attempt: 'a' }
  world.server.core.bus.delta({ ...about, seq: 4, kind: 'text', offset: 0, text: 'Early' })
  const said = { role: 'user' as const, parts: [{ type: 'text' as const, text: 'Wait' }] }
  await onSession(world.server.core, session.id, 'said', (tx, row) => appendMessages(tx, row, [said]))
  await until(() => seen.includes('piece Early'))
  expect(seen.slice(seen.indexOf('log 2') + 1).filter((what) => what !== 'message')).toEqual(['log 3', 'piece Early'])
})
