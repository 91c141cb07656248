import { describe, expect, test } from 'vitest'
import { textOf } from '../../src/contract/messages.ts'
import { cast } from '../kit/cast.ts'
import { storesInTurn } from '../kit/database.ts'
import { ask } from '../kit/script.ts'
import { createWorld } from '../kit/world.ts'

const finish = 'length'

describe.each(storesInTurn(import.meta.filename))('an answer that its limit cut, on %s', (store) => {
  test('says so and goes on, and its pieces are one reply', async () => {
    const world = await createWorld({ store, files: cast('ann') })
    world.vendor.reply(
      { text: 'One, two, ', finish },
      { text: 'three, ', finish },
      { text: 'four.' },
      { text: 'Five.' },
    )
    const { id } = await world.session({ agent: 'ann' })
    expect(await world.say(id, 'Count')).toMatchObject({ end: 'done', reply: 'One, two, three, four.' })
    const log = await world.messages(id)
    expect(log.map(({ role, cut = false }) => [role, cut])).toEqual([
      ['user', false],
      ['assistant', true],
      ['system', false],
      ['assistant', true],
      ['system', false],
      ['assistant', false],
    ])
    expect(textOf(log[2]?.parts ?? [])).toMatch(/cut at its limit of \d+ tokens .*Go on exactly where it stopped/)
    expect(await world.say(id, 'And then?')).toMatchObject({ reply: 'Five.' })
  })

  test('is the whole answer for an agent that asked', async () => {
    const world = await createWorld({ store, files: cast('ann', 'ben') })
    world.vendor.queue({ model: 'ann' }, { calls: [ask('ben', 'How many?')] }, { text: 'I see.' })
    world.vendor.queue({ model: 'ben' }, { text: 'Forty-', finish }, { text: 'two.' })
    const { id } = await world.session({ agent: 'ann' })
    expect(await world.say(id, 'Find out')).toMatchObject({ end: 'done' })
    expect(await world.results(id)).toMatchObject([{ status: 'complete', response: 'Forty-two.' }])
  })

  test('is asked to go on three times, and then the turn ends with the reason', async () => {
    const world = await createWorld({ store, files: cast('ann') })
    world.vendor.script(() => ({ text: 'la ', finish }))
    const { id } = await world.session({ agent: 'ann' })
    const reply = await world.say(id, 'Sing')
    expect(reply).toMatchObject({ end: 'limit', reply: 'la la la la ' })
    expect(reply.reason).toMatch(/cut at its limit .* raise maxOutputTokens/)
    expect(world.vendor.requests).toHaveLength(4)
  })

  test('in the middle of a call goes back to the model as an error; whole calls beside it run', async () => {
    const world = await createWorld({ store, files: { ...cast('ann'), 'a.txt': 'alpha' } })
    world.vendor.reply(
      {
        calls: [
          { name: 'read_file', input: { path: 'a.txt' } },
          { name: 'write_file', input: '{"path":"b.txt","content":"beta' },
        ],
        finish,
      },
      { text: 'Later.' },
    )
    const { id } = await world.session({ agent: 'ann' })
    expect(await world.say(id, 'Copy')).toMatchObject({ end: 'done', reply: 'Later.' })
    const results = await world.results(id)
    expect(results).toHaveLength(2)
    expect(results).toContainEqual(expect.stringContaining('alpha'))
    expect(results).toContainEqual(
      expect.stringMatching(/^Not run: only the beginning of this call came\. The answer was cut at its limit/),
    )
  })
})
