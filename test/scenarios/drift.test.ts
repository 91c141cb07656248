import { describe, expect, test } from 'vitest'
import { cast } from '../kit/cast.ts'
import { storesInTurn } from '../kit/database.ts'
import { notices } from '../kit/records.ts'
import { playedBy, spawn } from '../kit/script.ts'
import type { SeenRequest } from '../kit/vendor/reply.ts'
import { createWorld } from '../kit/world.ts'

const made = ({ messages }: SeenRequest): number => messages.filter(({ role }) => role === 'assistant').length

/** Another file each time, so that nothing repeats. */
const look = (request: SeenRequest) => ({ calls: [{ name: 'read_file', input: { path: `${made(request)}.txt` } }] })

const todos = [
  ...Array.from({ length: 7 }, (_, at) => ({ content: `part ${at + 1}`, status: 'pending' })),
  { content: 'the draft', status: 'completed' },
  { content: 'the proof', status: 'in_progress' },
]

describe.each(storesInTurn(import.meta.filename))('long work on %s', (store) => {
  test('is reminded after every tenth model call of what was asked and what is open, in few words', async () => {
    const world = await createWorld({ store, settings: { limits: { maxIterations: 25 } } })
    world.vendor.script((request) => {
      if (made(request) === 0) return { calls: [{ name: 'todo_write', input: { todos } }] }
      return made(request) < 21 ? look(request) : { text: 'Done.' }
    })
    const session = await world.session()
    await world.say(session.id, `Write the book. ${'and more '.repeat(200)}`)
    const [first = '', second, ...more] = await notices(world, session.id)
    expect(more).toEqual([])
    expect(first).toContain('10 of at most 25 model calls')
    expect(first).toContain('"Write the book. and more')
    expect(first).toMatch(/- the proof \(in_progress\)\n- part 1 \(pending\)[\s\S]*- and 3 more/)
    expect(first).not.toContain('the draft')
    expect(first.length).toBeLessThan(1200)
    expect(second).toContain('20 of at most 25')
    // Each stands right before the call it is for.
    const at = world.vendor.requests.map(({ messages }) =>
      /^\[message from system]\nA reminder/.test(messages.at(-1)!.text),
    )
    expect(at.flatMap((reminded, index) => (reminded ? [index] : []))).toEqual([10, 20])
  })

  test('is reminded of the newest words of the person, and never of an agent’s in the runtime’s voice', async () => {
    const world = await createWorld({ store, files: cast('ann', 'ben') })
    const gate = Promise.withResolvers<void>()
    world.vendor.script((request) => {
      if (playedBy(request) === 'ben') return made(request) < 10 ? look(request) : { text: 'Dug.' }
      if (made(request) === 0) return { calls: [spawn('ben', 'Dig a tunnel')] }
      if (made(request) === 9) return { ...look(request), delay: gate.promise }
      return made(request) < 10 ? look(request) : { text: 'Done.' }
    })
    const session = await world.session({ agent: 'ann' })
    const mail = await world.send(session.id, 'Have a hole dug')
    await world.eventually(async () => world.vendor.requests.some((one) => playedBy(one) === 'ann' && made(one) === 9))
    await world.send(session.id, 'A deep one')
    gate.resolve()
    await world.settled(mail.mailId)
    const mine = (await notices(world, session.id)).filter((text) => text.startsWith('A reminder'))
    expect(mine).toEqual([expect.stringContaining('The person asked: "A deep one"')])
    const { items } = await world.ok<{ items: { id: string }[] }>('GET', '/api/sessions?agent=ben')
    const [child = ''] = await notices(world, items[0]!.id)
    expect(child).toContain('You work on what ann wrote to you in this turn.')
    expect(child).not.toContain('tunnel')
  })
})
