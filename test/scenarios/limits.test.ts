import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { textOf } from '../../src/contract/messages.ts'
import { storesInTurn } from '../kit/database.ts'
import { createWorld } from '../kit/world.ts'

const read = (path: string) => ({ name: 'read_file', input: { path } })
const files = { 'a.txt': 'alpha', 'b.txt': 'beta' }

describe.each(storesInTurn(import.meta.filename))('limits of a turn on %s', (store) => {
  test('a turn ends at its number of model calls, and the next message goes on', async () => {
    const world = await createWorld({ store, files, settings: { limits: { maxIterations: 2 } } })
    world.vendor.reply({ calls: [read('a.txt')] }, { calls: [read('b.txt')] }, { text: 'Going on.' })
    const session = await world.session()
    const reply = await world.say(session.id, 'Work')
    expect(reply).toMatchObject({ end: 'limit', reason: expect.stringContaining('limits.maxIterations') })
    expect(world.vendor.requests).toHaveLength(2)
    expect(await world.look(session.id)).toMatchObject({ status: 'error', reason: reply.reason })
    expect(await world.say(session.id, 'Go on')).toMatchObject({ end: 'done', reply: 'Going on.' })
  })

  test('a turn ends at its time, and waiting for a person does not count', async () => {
    let now = Date.now()
    const world = await createWorld({
      store,
      files,
      clock: { now: () => now },
      settings: { limits: { maxDurationSeconds: 60 } },
    })
    world.vendor.reply({ calls: [{ name: 'ask_human', input: { question: 'Sure?' } }] })
    world.vendor.script(({ messages }) => {
      if (messages.length < 3) return { calls: [{ name: 'ask_human', input: { question: 'Sure?' } }] }
      now += 61_000
      return { calls: [read('a.txt')] }
    })
    const session = await world.session()
    const parked = await world.say(session.id, 'Work')
    now += 3_600_000
    await world.send(session.id, 'Yes')
    expect(await world.settled(parked.mailId)).toMatchObject({
      end: 'limit',
      reason: expect.stringContaining('limits.maxDurationSeconds'),
      toolCalls: [
        { name: 'ask_human', ok: true },
        { name: 'read_file', ok: true },
      ],
    })
  })

  test('sleeping counts as time', async () => {
    let now = Date.now()
    const world = await createWorld({
      store,
      clock: { now: () => now },
      settings: { limits: { maxDurationSeconds: 60 } },
    })
    world.vendor.reply({ calls: [{ name: 'sleep', input: { seconds: 100 } }] })
    const session = await world.session()
    const mail = await world.send(session.id, 'Sleep')
    await world.reaches(session.id, 'waiting')
    now += 101_000
    // The clock jumped: the alarm looks again at the latest when the server starts.
    await world.restart()
    expect(await world.settled(mail.mailId)).toMatchObject({ end: 'limit' })
    expect(await world.results(session.id)).toEqual(['Slept for 100 s.'])
    expect(world.vendor.requests).toHaveLength(1)
  })
})

describe('time that runs out in the middle', () => {
  const settings = { limits: { maxDurationSeconds: 1 }, permissions: { allow: ['bash'] } }

  test('ends a request that hangs, with the text so far', async () => {
    const world = await createWorld({ settings })
    world.vendor.reply({ text: 'Half a sentence', hang: true })
    const session = await world.session()
    expect(await world.say(session.id, 'Talk')).toMatchObject({
      end: 'limit',
      reply: expect.stringContaining('Half a'),
    })
  })

  test('ends a command that never ends, with its output so far', async () => {
    const world = await createWorld({ settings })
    world.vendor.reply({ calls: [{ name: 'bash', input: { command: 'echo begun; sleep 600' } }] })
    const session = await world.session({ agent: 'coder' })
    expect(await world.say(session.id, 'Run')).toMatchObject({ end: 'limit' })
    expect(await world.results(session.id)).toEqual([expect.stringMatching(/begun[\s\S]*time limit/)])
    expect(await world.say(session.id, 'Go on')).toMatchObject({ end: 'done' })
  })
})

describe.each(storesInTurn(import.meta.filename))('a stall on %s', (store) => {
  test('the same call with the same result is remarked on at 3 and stopped at 5', async () => {
    const world = await createWorld({ store, files })
    world.vendor.script(() => ({ calls: [read('a.txt')] }))
    const session = await world.session()
    const reply = await world.say(session.id, 'Work')
    expect(reply).toMatchObject({ end: 'stalled', reason: expect.stringContaining('5 times') })
    expect(world.vendor.requests).toHaveLength(5)
    const reminded = world.vendor.requests.map(({ lastUserText }) => lastUserText.includes('the same call 3 times'))
    expect(reminded).toEqual([false, false, false, true, true])
    expect(await world.look(session.id)).toMatchObject({ status: 'error' })
  })

  test('two calls in turn are noticed too', async () => {
    const world = await createWorld({ store, files })
    world.vendor.script(({ number }) => ({ calls: [read(number % 2 ? 'a.txt' : 'b.txt')] }))
    const session = await world.session()
    expect(await world.say(session.id, 'Work')).toMatchObject({ end: 'stalled' })
    expect(world.vendor.requests).toHaveLength(9)
  })

  test('calls side by side, refused calls and calls behind others are all counted', async () => {
    const world = await createWorld({ store, files })
    world.vendor.script(({ number }) => ({
      calls: [read('a.txt'), read('b.txt'), { name: 'no_such_tool', input: { number } }],
    }))
    const session = await world.session()
    expect(await world.say(session.id, 'Work')).toMatchObject({ end: 'stalled' })
    expect(world.vendor.requests).toHaveLength(5)
  })

  test('it is counted on over a restart', async () => {
    const world = await createWorld({ store, files })
    const gate = Promise.withResolvers<void>()
    world.vendor.script(({ number }) => ({ calls: [read('a.txt')], ...(number === 4 && { delay: gate.promise }) }))
    const session = await world.session()
    const mail = await world.send(session.id, 'Work')
    await world.eventually(async () => world.vendor.requests.length === 4)
    await world.restart()
    gate.resolve()
    expect(await world.settled(mail.mailId)).toMatchObject({ end: 'stalled' })
    expect((await world.results(session.id)).length).toBe(5)
  })

  test('a result that changes does not count', async () => {
    const world = await createWorld({ store, files })
    world.vendor.script(({ number }) => {
      writeFileSync(join(world.project, 'a.txt'), `state ${number}`)
      return number > 6 ? { text: 'It changed.' } : { calls: [read('a.txt')] }
    })
    const session = await world.session()
    expect(await world.say(session.id, 'Watch it')).toMatchObject({ end: 'done', reply: 'It changed.' })
  })

  test('the next turn begins to count anew', async () => {
    const world = await createWorld({ store, files })
    world.vendor.script(({ messages }) =>
      messages.at(-1)?.role === 'tool' ? { text: 'Read.' } : { calls: [read('a.txt')] },
    )
    const session = await world.session()
    for (let turn = 0; turn < 6; turn++) expect(await world.say(session.id, 'Read')).toMatchObject({ end: 'done' })
    expect((await world.messages(session.id)).some(({ parts }) => textOf(parts).includes('the same call'))).toBe(false)
  })
})
