import { describe, expect, test } from 'vitest'
import { textOf } from '../../src/contract/messages.ts'
import { storesInTurn } from '../kit/database.ts'
import { createWorld } from '../kit/world.ts'

describe.each(storesInTurn(import.meta.filename))('a turn on %s', (store) => {
  test('a message is answered, and the whole exchange is in the log', async () => {
    const world = await createWorld({ store })
    world.vendor.reply({ text: 'Hello there.' })
    const session = await world.session()
    const reply = await world.say(session.id, 'Hi')
    expect(reply).toMatchObject({ outcome: 'started', state: 'taken', ended: true, end: 'done', reply: 'Hello there.' })
    const log = await world.messages(session.id)
    expect(log.map(({ role, parts }) => [role, textOf(parts)])).toEqual([
      ['user', 'Hi'],
      ['assistant', 'Hello there.'],
    ])
    expect(log[0]?.from).toEqual({ kind: 'human' })
    expect(log[1]?.tokens?.output).toBeGreaterThan(0)
  })

  test('tools run side by side and their results go back to the model', async () => {
    const world = await createWorld({ store, files: { 'a.txt': 'alpha\n', 'b.txt': 'beta\n' } })
    world.vendor.reply(
      {
        calls: [
          { name: 'read_file', input: { path: 'a.txt' } },
          { name: 'read_file', input: { path: 'b.txt' } },
        ],
      },
      { text: 'Read both.' },
    )
    const session = await world.session()
    const reply = await world.say(session.id, 'Read the files')
    expect(reply.reply).toBe('Read both.')
    expect(reply.toolCalls).toEqual([
      { name: 'read_file', ok: true },
      { name: 'read_file', ok: true },
    ])
    expect(world.vendor.rejections).toEqual([])
    const seen = JSON.stringify(world.vendor.requests[1]?.messages)
    expect(seen).toContain('alpha')
    expect(seen).toContain('beta')
  })

  test('a command waits for approval, and runs once it is given', async () => {
    const world = await createWorld({ store })
    world.vendor.reply(
      { calls: [{ name: 'bash', input: { command: 'echo made > made.txt; echo done' } }] },
      { text: 'It is made.' },
    )
    const session = await world.session({ agent: 'coder' })
    const parked = await world.say(session.id, 'Make it')
    expect(parked.waits).toMatchObject([{ tool: 'bash', kind: 'approval' }])
    const [item] = await world.inbox()
    expect(item).toMatchObject({ kind: 'approval', body: expect.stringContaining('echo made > made.txt') })
    const answered = await world.request('POST', `/api/inbox/${item!.id}/answer`, { decision: 'once' })
    expect(answered.status).toBe(200)
    const again = await world.request('POST', `/api/inbox/${item!.id}/answer`, { decision: 'deny' })
    expect(again.status).toBe(409)
    const done = await world.request<{ reply: string; ended: boolean }>('GET', `/api/mail/${parked.mailId}?wait=20`)
    expect(done.body).toMatchObject({ ended: true, reply: 'It is made.' })
  })
})
