import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { textOf } from '../../src/contract/messages.ts'
import type { Tool } from '../../src/core/base/tool.ts'
import { storesInTurn } from '../kit/database.ts'
import { createWorld } from '../kit/world.ts'

describe.each(storesInTurn(import.meta.filename))('after a restart on %s', (store) => {
  test('an unfinished turn goes on where it was', async () => {
    const world = await createWorld({ store, files: { 'a.txt': 'alpha' } })
    const gate = Promise.withResolvers<void>()
    world.vendor.script(({ messages }) =>
      messages.at(-1)?.role === 'tool'
        ? { text: 'It says alpha.', delay: gate.promise }
        : { calls: [{ name: 'read_file', input: { path: 'a.txt' } }] },
    )
    const session = await world.session()
    const mail = await world.send(session.id, 'Read')
    await world.eventually(async () => world.vendor.requests.length === 2)
    await world.restart()
    gate.resolve()
    expect(await world.settled(mail.mailId)).toMatchObject({ end: 'done', reply: 'It says alpha.' })
    expect((await world.messages(session.id)).map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
    ])
  })

  test('a file that was read before may be edited, unless it has changed since', async () => {
    const world = await createWorld({ store, files: { 'a.txt': 'alpha', 'b.txt': 'beta' } })
    const edit = (path: string) => ({
      name: 'edit_file',
      input: { path, old_string: 'a', new_string: 'A', replace_all: true },
    })
    const read = (path: string) => ({ name: 'read_file', input: { path } })
    world.vendor.reply(
      { calls: [read('a.txt'), read('b.txt')] },
      { text: 'Read.' },
      { calls: [edit('a.txt'), edit('b.txt'), edit('c.txt')] },
      { text: 'Edited.' },
      { calls: [edit('a.txt')] },
      { text: 'Forgotten.' },
    )
    const session = await world.session()
    await world.say(session.id, 'Read')
    await world.restart()
    writeFileSync(join(world.project, 'b.txt'), 'gamma')
    writeFileSync(join(world.project, 'c.txt'), 'data')
    await world.say(session.id, 'Edit')
    expect((await world.results(session.id)).slice(2)).toEqual([
      expect.stringContaining('Replaced'),
      expect.stringContaining('has changed since it was read'),
      expect.stringContaining('has not been read'),
    ])
    expect(readFileSync(join(world.project, 'a.txt'), 'utf8')).toBe('AlphA')
    expect(readFileSync(join(world.project, 'b.txt'), 'utf8')).toBe('gamma')
    await world.ok('POST', `/api/sessions/${session.id}/clear`)
    await world.say(session.id, 'Again')
    expect((await world.results(session.id)).at(-1)).toContain('has not been read')
  })

  test('a parked question is answered and its turn goes on', async () => {
    const world = await createWorld({ store })
    world.vendor.reply({ calls: [{ name: 'ask_human', input: { question: 'Sure?' } }] }, { text: 'Good.' })
    const session = await world.session()
    const parked = await world.say(session.id, 'Go')
    await world.restart()
    const [item] = await world.inbox()
    await world.ok('POST', `/api/inbox/${item?.id}/answer`, { answer: 'Yes' })
    expect(await world.settled(parked.mailId)).toMatchObject({ reply: 'Good.' })
  })

  test('a command that was running is not run again; its outcome is told', async () => {
    const world = await createWorld({ store, settings: { permissions: { allow: ['bash'] } } })
    world.vendor.reply(
      { calls: [{ name: 'bash', input: { command: 'echo run >> runs; echo begun; sleep 600' } }] },
      { text: 'I see.' },
    )
    const session = await world.session({ agent: 'coder' })
    const heard = world.streams('begun')
    const mail = await world.send(session.id, 'Run')
    await heard
    await world.restart()
    expect(await world.settled(mail.mailId)).toMatchObject({ end: 'done', reply: 'I see.' })
    expect(await world.results(session.id)).toEqual([expect.stringMatching(/begun[\s\S]*shutdown/)])
  })

  test('a call that had not begun is made, once; one that had and cannot be made again is told', async () => {
    const begun: number[] = []
    const tenth = Promise.withResolvers<void>()
    const work: Tool<{ number: number }> = {
      name: 'work',
      description: 'Ten of them work until they are stopped.',
      input: z.strictObject({ number: z.number() }),
      capabilities: [],
      parallel: true,
      idempotent: false,
      maxOutputChars: 1000,
      async run({ number }, { signal }) {
        begun.push(number)
        if (begun.length > 10) return { output: `made ${number}` }
        if (begun.length === 10) tenth.resolve()
        await once(signal, 'abort')
        return { output: 'stopped', error: true }
      },
    }
    const world = await createWorld({ store, tools: [work as Tool], settings: { permissions: { allow: ['work'] } } })
    const numbers = Array.from({ length: 12 }, (_, number) => number)
    world.vendor.reply(
      { calls: numbers.map((number) => ({ name: 'work', input: { number } })) },
      { text: 'All of them.' },
    )
    const session = await world.session()
    const mail = await world.send(session.id, 'Work')
    await tenth.promise
    await world.restart()
    expect(await world.settled(mail.mailId)).toMatchObject({ end: 'done', reply: 'All of them.' })
    expect(begun).toEqual(numbers)
    const told = numbers.slice(0, 10).map(() => expect.stringMatching(/^stopped\n.*outcome unknown/))
    expect((await world.results(session.id)).toSorted()).toEqual(['made 10', 'made 11', ...told])
  })

  test('a timer that ran out meanwhile wakes its session', async () => {
    let now = Date.now()
    const world = await createWorld({ store, clock: { now: () => now } })
    world.vendor.reply({ calls: [{ name: 'sleep', input: { seconds: 300 } }] }, { text: 'Awake.' })
    const session = await world.session()
    const mail = await world.send(session.id, 'Sleep')
    await world.reaches(session.id, 'waiting')
    now += 301_000
    await world.restart()
    expect(await world.settled(mail.mailId)).toMatchObject({ reply: 'Awake.' })
    expect(await world.results(session.id)).toEqual(['Slept for 300 s.'])
  })

  test('queued and held mail is still there, in order', async () => {
    const world = await createWorld({ store })
    const gate = Promise.withResolvers<void>()
    world.vendor.reply({ text: 'Lost.', delay: gate.promise })
    const session = await world.session()
    await world.send(session.id, 'one')
    await world.eventually(async () => world.vendor.requests.length === 1)
    const held = await world.send(session.id, 'three', { followup: true })
    await world.send(session.id, 'two')
    await world.restart()
    gate.resolve()
    expect(await world.settled(held.mailId)).toMatchObject({ end: 'done' })
    const said = (await world.messages(session.id))
      .filter(({ role }) => role === 'user')
      .map(({ parts }) => textOf(parts))
    expect(said).toEqual(['one', 'two', 'three'])
  })

  test('a paused session stays paused', async () => {
    const world = await createWorld({ store })
    const session = await world.session()
    await world.ok('POST', `/api/sessions/${session.id}/pause`)
    const mail = await world.send(session.id, 'Hi')
    await world.restart()
    expect(await world.look(session.id)).toMatchObject({ status: 'paused' })
    await world.ok('POST', `/api/sessions/${session.id}/resume`)
    expect(await world.settled(mail.mailId)).toMatchObject({ end: 'done' })
  })
})
