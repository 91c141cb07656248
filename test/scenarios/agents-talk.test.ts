import { describe, expect, test } from 'vitest'
import { textOf } from '../../src/contract/messages.ts'
import { storesInTurn } from '../kit/database.ts'
import { createWorld } from '../kit/world.ts'

describe.each(storesInTurn(import.meta.filename))('agents that talk on %s', (store) => {
  test('one asks another and goes on with the answer', async () => {
    const world = await createWorld({ store })
    world.vendor.script(() => ({ text: 'It is 42.' }), { word: '[question from assistant' })
    world.vendor.reply(
      { calls: [{ name: 'agent_message', input: { to: 'researcher', message: 'What is the answer?' } }] },
      { text: 'The researcher says 42.' },
    )
    const session = await world.session()
    const reply = await world.say(session.id, 'Find out')
    expect(reply).toMatchObject({ end: 'done', reply: 'The researcher says 42.' })
    expect(await world.results(session.id)).toMatchObject([
      { status: 'complete', agent: 'researcher', created: true, response: 'It is 42.' },
    ])
  })

  test('a child works with a clean context and its result comes back', async () => {
    const world = await createWorld({ store })
    world.vendor.script(() => ({ text: 'Counted: three.' }), { word: 'Count the files' })
    world.vendor.reply(
      { calls: [{ name: 'agent_spawn', input: { agent: 'researcher', instruction: 'Count the files' } }] },
      { text: 'There are three.' },
    )
    const session = await world.session()
    const reply = await world.say(session.id, 'How many?')
    expect(reply).toMatchObject({ end: 'done', reply: 'There are three.' })
    expect(await world.results(session.id)).toMatchObject([
      { status: 'finished', agent: 'researcher', output: 'Counted: three.' },
    ])
  })

  test('a child that nobody waits for tells how it ended by mail', async () => {
    const world = await createWorld({ store })
    world.vendor.script(() => ({ text: 'Counted: three.' }), { word: 'Count the files' })
    world.vendor.reply(
      { calls: [{ name: 'agent_spawn', input: { agent: 'researcher', instruction: 'Count the files', wait: false } }] },
      { text: 'It is on its way.' },
      { text: 'Three it is.' },
    )
    const session = await world.session()
    await world.say(session.id, 'How many?')
    const log = await world.eventually(async () => {
      const seen = await world.messages(session.id)
      return seen.some(({ parts }) => textOf(parts) === 'Three it is.') && seen
    })
    const notices = log.filter(({ from }) => from?.kind === 'system')
    expect(notices.map(({ parts }) => textOf(parts))).toEqual([expect.stringContaining('Counted: three.')])
  })
})
