import { expect, test } from 'vitest'
import { z } from 'zod'
import { stores } from '../../../test/kit/database.ts'
import { makeToolPlace } from '../../../test/kit/tool-place.ts'
import { createWorld } from '../../../test/kit/world.ts'
import { builtInTools } from '../index.ts'

test('sleep waits as a timer of up to 300 seconds', async () => {
  const place = makeToolPlace()
  expect(await place.callRaw('sleep', { seconds: 300 })).toEqual({
    park: 'timer',
    until: 1_300_000,
    result: 'Slept for 300 s.',
  })
  for (const seconds of [0, 301, 1.5]) expect((await place.call('sleep', { seconds })).error).toBe(true)
})

test('ask_human waits as a question', async () => {
  const place = makeToolPlace()
  expect(await place.callRaw('ask_human', { question: 'Which one?', options: ['a', 'b'] })).toEqual({
    park: 'question',
    question: 'Which one?',
    options: ['a', 'b'],
  })
})

test('todos are written as a whole and read back, with what was left out filled in', async () => {
  const world = await createWorld()
  const session = await world.session()
  const place = makeToolPlace({ core: world.server.core })
  const own = { sessionId: session.id }
  const todos = [{ content: 'first', status: 'completed', priority: 'high' }, { content: 'second' }]
  const written = await place.call('todo_write', { todos }, own)
  expect(written).toEqual({ output: 'The list has 2 items, 1 open.' })
  expect(await place.callRaw('todo_read', {}, own)).toEqual({
    output: { todos: [todos[0], { content: 'second', status: 'pending', priority: 'medium' }] },
  })
})

test('log_write leaves a note in the record', async () => {
  const world = await createWorld()
  const session = await world.session()
  const place = makeToolPlace({ core: world.server.core })
  const about = { sessionId: session.id, project: world.server.core.project }
  await place.call('log_write', { level: 'warn', message: 'odd', metadata: { count: 2 } }, about)
  const notes = (await world.events(session.id)).filter(({ type }) => type === 'log')
  expect(notes).toMatchObject([{ data: { level: 'warn', message: 'odd', metadata: { count: 2 } } }])
})

test.each(stores)(
  'a call of log_write leaves one note however often it is run, whatever other notes say, on %s',
  async (store) => {
    const world = await createWorld({ store })
    const [session, other] = [await world.session(), await world.session()]
    const place = makeToolPlace({ core: world.server.core })
    const note = (sessionId: string, callId: string, message: string) =>
      place.call(
        'log_write',
        { message, metadata: { about: { callId: 'call_2' } } },
        { sessionId, callId, project: world.server.core.project },
      )
    await note(session.id, 'call_1', 'one')
    await note(session.id, 'call_1', 'one')
    await note(session.id, 'call_2', 'two')
    await note(other.id, 'call_1', 'elsewhere')
    const said = async (id: string) =>
      (await world.events(id)).filter(({ type }) => type === 'log').map(({ data }) => data.message)
    expect(await said(session.id)).toEqual(['one', 'two'])
    expect(await said(other.id)).toEqual(['elsewhere'])
  },
)

test('every tool describes each of its fields to the model and refuses others', () => {
  for (const tool of builtInTools) {
    const schema = z.toJSONSchema(tool.input as z.ZodType, { io: 'input' })
    expect(schema.additionalProperties, tool.name).toBe(false)
    for (const [field, property] of Object.entries(schema.properties ?? {}))
      expect((property as { description?: string }).description, `${tool.name}.${field}`).toBeTruthy()
  }
})
