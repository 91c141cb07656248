import { describe, expect, test } from 'vitest'
import type { Top } from '../../src/contract/top.ts'
import { cast } from '../kit/cast.ts'
import { storesInTurn } from '../kit/database.ts'
import { troupe } from '../kit/program.ts'
import { createWorld } from '../kit/world.ts'

describe.for(storesInTurn(import.meta.filename))('on %s', (store) => {
  test('top lists who works and who waits, each behind its maker, with what it does', async () => {
    const world = await createWorld({ store, files: cast('ann', 'ben', 'cat') })
    world.vendor.queue(
      { model: 'ann' },
      { calls: [{ name: 'agent_spawn', input: { agent: 'ben', instruction: 'Dig' } }] },
    )
    world.vendor.queue({ model: 'ben' }, { calls: [{ name: 'ask_human', input: { question: 'How deep?' } }] })
    const idle = await world.session({ agent: 'cat' })
    const ann = await world.session({ agent: 'ann' })
    await world.send(ann.id, 'Have a hole dug')
    const top = await world.eventually(async () => {
      const found = await world.ok<Top>('GET', '/api/top')
      return found.items.length === 2 && found.items.every(({ status }) => status === 'waiting') && found
    })
    expect(top.items.map(({ agent, depth }) => [agent, depth])).toEqual([
      ['ann', 0],
      ['ben', 1],
    ])
    expect(top.items[1]).toMatchObject({ taskStatus: 'waiting', activity: expect.stringContaining('How deep?') })
    expect(top.items.map(({ sessionId }) => sessionId)).not.toContain(idle.id)
    expect(top).toMatchObject({ more: 0, inbox: 1, tasks: { pending: 0, processing: 0, waiting: 1 } })
    expect(top.tokensPerSecond).toBeGreaterThan(0)
    const printed = await troupe(world, 'top')
    expect(printed).toContain('2 waiting')
    expect(printed).toMatch(/· ben [0-9a-f]+ +waiting/)
  })

  test('a call that waits for approval is named once, with its tool', async () => {
    const world = await createWorld({ store })
    world.vendor.queue({}, { calls: [{ name: 'bash', input: { command: 'make it' } }] })
    const { id } = await world.session()
    await world.send(id, 'Go')
    await world.reaches(id, 'waiting')
    expect((await world.ok<Top>('GET', '/api/top')).items).toMatchObject([
      { activity: 'waits for your approval of bash: make it' },
    ])
  })

  test('nothing is in top when nothing goes on', async () => {
    const world = await createWorld({ store })
    const { id } = await world.session()
    await world.say(id, 'Hello')
    expect((await world.ok<Top>('GET', '/api/top')).items).toEqual([])
    expect(await troupe(world, 'top')).toContain('Nothing runs')
  })
})
