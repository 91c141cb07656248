import { describe, expect, test } from 'vitest'
import { cast } from './cast.ts'
import { stores } from './database.ts'
import { atRest, heard, sessionOf } from './records.ts'
import { tell } from './script.ts'
import { createWorld } from './world.ts'

describe.each(stores)('the example of docs/map.md on %s', (store) => {
  test('an agent hears what another one tells it', async () => {
    const world = await createWorld({ store, files: cast('ann', { ben: { tools: { deny: ['bash'] } } }) })
    world.vendor.queue({ model: 'ann' }, { calls: [tell('ben', 'Dig')] }, { text: 'Sent.' })
    const ann = await world.session({ agent: 'ann' })
    await world.say(ann.id, 'Have a hole dug')
    await atRest(world)
    expect(await heard(world, await sessionOf(world, 'ben'))).toEqual([expect.stringContaining('Dig')])
  })
})
