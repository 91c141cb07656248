import { describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { eventually } from '../kit/processes.ts'
import { createClient } from './client.ts'
import { resultsOf } from './invariants.ts'
import { type Life, startLife } from './life.ts'
import { inPlace } from './place.ts'
import { readRows } from './rows.ts'

/** Registers a tool with the server that lives now; gives the calls that come. */
async function connect(life: Life, session: string) {
  const { url, token } = await life.server()
  const socket = new WebSocket(`${url.replace('http', 'ws')}/api/ws`, ['troupe.v1', `bearer.${token}`])
  const calls: string[] = []
  const answered = Promise.withResolvers<void>()
  socket.on('message', (data) => {
    const { id, call } = JSON.parse(String(data))
    if (call) calls.push(call.callId)
    if (id === 'answer') answered.resolve()
  })
  socket.on('error', () => {})
  await new Promise((resolve) => socket.on('open', resolve))
  const tool = { name: 'editor_open', description: 'Opens.', timeoutSeconds: 300 }
  socket.send(JSON.stringify({ op: 'tools.register', id: 'tools', client: 'editor', session, tools: [tool] }))
  return {
    calls,
    async answer(callId: string, output: string) {
      socket.send(JSON.stringify({ op: 'tool.result', id: 'answer', client: 'editor', callId, output }))
      await answered.promise
    },
    close: () => socket.terminate(),
  }
}

// Processes and calls are what is at stake, and they are alike on both stores.
describe.for(['sqlite'] as const)('on %s', (store) => {
  test('kill -9 while a call waits for a client: the next server sends it again, and its answer counts once', () =>
    inPlace(
      store,
      async (place) => {
        place.vendor.reply({ calls: [{ name: 'editor_open', input: {} }] }, { text: 'Open.' })
        const life = startLife(place)
        const client = createClient(life)
        const session = await client.open('session', 'assistant')
        const first = await connect(life, session)
        const { mailId } = await client.send(session, 'mail', 'Open it')
        await eventually(() => first.calls.length === 1)
        await life.kill()
        const second = await connect(life, session)
        await eventually(() => second.calls.length === 1)
        expect(second.calls).toEqual(first.calls)
        await second.answer(second.calls[0]!, 'opened')
        expect(await client.settled(mailId)).toMatchObject({ end: 'done', reply: 'Open.' })
        expect(second.calls).toHaveLength(1)
        await life.stop()
        first.close()
        second.close()
        const { messages } = await readRows(place)
        expect(messages.flatMap(({ parts }) => resultsOf(JSON.parse(parts)))).toMatchObject([
          { name: 'editor_open', output: 'opened' },
        ])
      },
      { permissions: { allow: ['*'] } },
    ))
})
