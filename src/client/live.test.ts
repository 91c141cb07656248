import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { note } from '../../test/kit/records.ts'
import { createWorld } from '../../test/kit/world.ts'
import type { Event } from '../contract/events.ts'
import { createClient } from './client.ts'
import { CallFailure } from './failure.ts'
import { follow, type Interest } from './live.ts'
import { fetchTransport } from './transport.ts'

async function begin() {
  const world = await createWorld()
  const client = createClient({ transport: fetchTransport(world.server.url), token: world.server.token })
  return { world, client }
}

/** Collects the texts of notes; two promises resolve with the first one and when there are `count` of them. */
function notes(count: number) {
  const seen: unknown[] = []
  const first = Promise.withResolvers<void>()
  const all = Promise.withResolvers<unknown[]>()
  return {
    first: first.promise,
    all: all.promise,
    event({ data }: Event) {
      seen.push(data.message)
      first.resolve()
      if (seen.length === count) all.resolve(seen)
    },
  }
}

/** A proxy whose connections can be cut. The server answers to its own name only, so the proxy puts that name in. */
function createProxy(port: number) {
  const sockets = new Set<Socket>()
  const server = createServer((inner) => {
    const outer = createConnection(port, '127.0.0.1')
    for (const socket of [inner, outer]) {
      sockets.add(socket)
      socket.on('error', () => {})
    }
    inner.once('data', (head) => {
      outer.write(String(head).replace(/^host: .*$/im, `Host: 127.0.0.1:${port}`))
      inner.pipe(outer)
    })
    outer.pipe(inner)
  })
  const cut = (): void => {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
  onTestFinished(cut)
  return {
    cut,
    async listen(): Promise<string> {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    },
  }
}

test('events behind a position come once and in order, each after the one before was taken', async () => {
  const { world, client } = await begin()
  const { seq } = await client.snapshot('GET /api/sessions')
  await note(world, 3)
  const heard = notes(5)
  let taking = 0
  const live = await follow(
    client,
    { types: ['log'], after: seq },
    {
      async event(event) {
        taking += 1
        await new Promise(setImmediate)
        expect(taking).toBe(1)
        taking -= 1
        heard.event(event)
      },
    },
  )
  onTestFinished(() => live.close())
  await note(world, 2, 3)
  expect(await heard.all).toEqual([0, 1, 2, 3, 4].map((at) => `note ${at}`))
})

test('a subscription that is refused ends with the error of the contract', async () => {
  const { client } = await begin()
  const live = await follow(client, { session: 'ffffffffffff' }, { event: () => {} })
  const thrown = await live.ended.catch((failure: unknown) => failure)
  expect(thrown).toBeInstanceOf(CallFailure)
  expect(thrown).toMatchObject({ kind: 'refused', code: 'session.not_found' })
})

test('what its listener throws ends it, and nothing more is told', async () => {
  const { world, client } = await begin()
  const seen: unknown[] = []
  const interest: Interest = { types: ['log'], after: (await client.snapshot('GET /api/sessions')).seq }
  const live = await follow(client, interest, {
    event({ data }) {
      seen.push(data.message)
      throw new Error('Full.')
    },
  })
  await note(world, 3)
  await expect(live.ended).rejects.toThrow('Full.')
  expect(seen).toEqual(['note 0'])
})

test('whoever closes it is told nothing more, and it ends', async () => {
  const { client } = await begin()
  const live = await follow(client, {}, { event: () => {}, lost: () => expect.fail('It was closed, not lost.') })
  live.close()
  await live.ended
})

test('who is not let in learns it at once', async () => {
  const { client } = await begin()
  await expect(follow({ url: client.url, token: 'none' }, {}, { event: () => {} })).rejects.toMatchObject({
    kind: 'lost',
  })
})

test('after a cut it goes on behind the last event, where the server is found now', async () => {
  const { world, client } = await begin()
  const front = createProxy(world.port)
  const entrance = await front.listen()
  const heard = notes(2)
  const found: string[] = []
  const piece = Promise.withResolvers<string>()
  const noted = Promise.withResolvers<void>()
  const { seq } = await client.snapshot('GET /api/sessions')
  const live = await follow(
    { url: entrance, token: world.server.token },
    { types: ['log'], after: seq, deltas: true },
    { event: heard.event, delta: ({ text }) => piece.resolve(text), lost: () => void found.push('lost') },
    {
      find: async () => {
        found.push('found')
        await noted.promise
        return client.url
      },
      revive: async () => found.push('revived'),
    },
  )
  onTestFinished(() => live.close())
  await note(world, 1)
  await heard.first
  const delta = { sessionId: 'a', turnId: 'turn_1', attempt: 'a', kind: 'text' as const, offset: 0, text: 'Well' }
  world.server.core.bus.delta({ ...delta, project: world.server.core.project.id })
  expect(await piece.promise).toBe('Well')
  // Nobody is connected while this note is written: only the position brings it.
  front.cut()
  await note(world, 1, 1)
  noted.resolve()
  expect(await heard.all).toEqual(['note 0', 'note 1'])
  expect(found).toEqual(['lost', 'revived', 'found'])
})
