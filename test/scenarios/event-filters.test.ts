import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Event } from '../../src/contract/events.ts'
import type { Session } from '../../src/contract/sessions.ts'
import { settleEvents, stores } from '../kit/database.ts'
import { atRest, taskOf } from '../kit/records.ts'
import { parts, spawn } from '../kit/script.ts'
import { openSocket, openStream } from '../kit/streams.ts'
import { createWorld, type World } from '../kit/world.ts'

const words = ['north', 'south', 'zenith']
const ways = { socket: openSocket, stream: openStream }

const listed = async (world: World, query: string): Promise<Event[]> => {
  await settleEvents(world.server.core.store)
  return (await world.ok<{ items: Event[] }>('GET', `/api/events?limit=1000&${query}`)).items
}

describe.each(stores)('events on %s', (store) => {
  test('the events of a task are those of its session and of nothing else, in a list and in a stream', async () => {
    const world = await createWorld({ store, settings: { permissions: { allow: ['agent_spawn(topLevel)'] } } })
    const note = { name: 'log_write', input: { level: 'info', message: 'Noted.' } }
    parts(world, {
      Start: [
        { calls: [spawn('writer', 'Dig', { wait: false }), spawn('writer', 'Saw', { topLevel: true })] },
        { text: 'Ok.' },
      ],
      Dig: [{ calls: [note] }, { text: 'Dug.' }],
      Saw: [{ text: 'Sawn.' }],
    })
    const begin = (await world.request('GET', '/api/sessions')).headers.get('troupe-seq')!
    const parent = await world.session()
    await world.say(parent.id, 'Start')
    const dig = await taskOf(world, 'Dig', 'finished')
    await atRest(world)

    const all = await listed(world, 'project=*')
    const mine = await listed(world, `task=${dig.id}`)
    expect(mine).toEqual(all.filter(({ sessionId }) => sessionId === dig.session_id))
    const types = new Set(mine.map(({ type }) => type))
    for (const type of [
      'task.created',
      'session.created',
      'mail.accepted',
      'turn.ended',
      'log',
      'task.finished',
      'session.status',
    ])
      expect(types).toContain(type)
    for (const open of Object.values(ways)) {
      const reader = await open(world, `?task=${dig.id}&after=${encodeURIComponent(begin)}`)
      await reader.until(({ events }) => events.length === mine.length)
      expect(reader.events.map(({ data }) => data)).toEqual(mine.map(({ data }) => data))
    }
    const saw = all.filter(({ type, taskId }) => type === 'task.created' && taskId !== dig.id)
    expect(saw).toEqual([expect.objectContaining({ taskId: expect.stringMatching(/^task_/) })])

    expect(await listed(world, 'run=run_none')).toEqual([])
    expect(await listed(world, 'node=node_none')).toEqual([])
    const unknown = await world.request<{ error: { code: string } }>('GET', '/api/events?task=task_none')
    expect([unknown.status, unknown.body.error.code]).toEqual([404, 'task.not_found'])
  })

  test.each(Object.entries(ways))(
    'a %s for one project carries nothing of another, not even as it streams',
    async (_, open) => {
      const world = await createWorld({ store })
      const other = join(world.project, '..', 'other')
      mkdirSync(join(other, '.troupe'), { recursive: true })
      const at = (folder: string) => `project=${encodeURIComponent(folder)}`
      world.vendor.script(({ lastUserText }) => ({
        text: `Streamed ${words.find((word) => lastUserText.includes(word))}`,
      }))
      const here = await world.session()
      const there = await world.ok<Session>('POST', `/api/sessions?${at(other)}`, { agent: 'assistant' })

      const readers = await Promise.all(
        [at(world.project), at(other), 'project=*'].map((query) => open(world, `?deltas=true&${query}`)),
      )
      await Promise.all(readers.map((reader) => reader.until(({ seq }) => seq !== undefined)))
      await world.say(here.id, 'north')
      await world.say(there.id, 'south')
      await world.say(here.id, 'zenith')
      await settleEvents(world.server.core.store)
      const ends = (count: number) =>
        readers[2]!.until(({ events }) => events.filter(({ type }) => type === 'turn.ended').length === count)
      await ends(3)
      await readers[0]!.until(({ events }) => events.filter(({ type }) => type === 'turn.ended').length === 2)
      await readers[1]!.until(({ events }) => events.some(({ type }) => type === 'turn.ended'))

      const seen = readers.map(({ frames }) => ({
        sessions: new Set(frames.flatMap(({ event, delta }) => event?.sessionId ?? delta?.sessionId ?? [])),
        text: frames.map(({ delta }) => delta?.text ?? '').join(''),
      }))
      expect(seen.map(({ sessions }) => [...sessions].sort())).toEqual([
        [here.id],
        [there.id],
        [here.id, there.id].sort(),
      ])
      expect(seen.map(({ text }) => words.filter((word) => text.includes(`Streamed ${word}`)))).toEqual([
        ['north', 'zenith'],
        ['south'],
        words,
      ])
    },
  )

  test('a stream behind what was removed is an answer that says where to begin', async () => {
    const world = await createWorld({ store })
    const { id } = await world.session()
    const begin = (await world.request('GET', '/api/sessions')).headers.get('troupe-seq')!
    await world.say(id, 'One')
    await settleEvents(world.server.core.store)
    await world.server.core.store.write((db) => db.deleteFrom('events').where('type', '=', 'turn.started').execute())

    for (const path of ['/api/events', '/api/events/stream']) {
      const after = encodeURIComponent(begin)
      const gone = await world.request<{ error: { code: string; details: { earliest: string } } }>(
        'GET',
        `${path}?after=${after}`,
      )
      expect([gone.status, gone.body.error.code]).toEqual([410, 'events.expired'])
      const rest = await listed(world, `after=${encodeURIComponent(gone.body.error.details.earliest)}`)
      expect(rest.map(({ type }) => type)).toContain('turn.ended')
    }
    const socket = await openSocket(world, `?after=${encodeURIComponent(begin)}`)
    await socket.until(({ frames }) => frames.length > 0)
    expect(socket.frames[0]).toMatchObject({
      error: { code: 'events.expired', details: { earliest: expect.any(String) } },
    })
    const never = await world.request<{ error: { code: string } }>('GET', '/api/events?after=yesterday')
    expect([never.status, never.body.error.code]).toEqual([400, 'events.bad_cursor'])
  })
})
