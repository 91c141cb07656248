import { existsSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { textOf } from '../../src/contract/messages.ts'
import { storesInTurn } from '../kit/database.ts'
import { processesWith } from '../kit/processes.ts'
import { createWorld, type World } from '../kit/world.ts'

const bashAllowed = { permissions: { allow: ['bash'] } }
const untilFile = (file: string) => `while [ ! -e ${file} ]; do sleep 0.02; done; echo seen`
const bash = (command: string) => ({ name: 'bash', input: { command } })
const ask = { calls: [{ name: 'ask_human', input: { question: 'Sure?' } }] }

/** Never ends; its words find it among all processes. */
const forever = (world: World) => `echo begun; sleep 600; echo ${basename(dirname(world.project))}`
const ended = (world: World) =>
  world.eventually(async () => processesWith(basename(dirname(world.project))).length === 0)
const started = (world: World, session: string) =>
  world.eventually(async () => (await world.events(session)).some(({ type }) => type === 'tool.started'))

describe.each(storesInTurn(import.meta.filename))('an interrupt on %s', (store) => {
  test('keeps the text so far, marked, and the model goes on with the message', async () => {
    const world = await createWorld({ store })
    world.vendor.reply({ text: 'Once upon a time', hang: true }, { text: 'Short, then.' })
    const session = await world.session()
    const heard = world.streams('Once upon a')
    await world.send(session.id, 'Tell a story')
    await heard
    const reply = await world.say(session.id, 'Shorter', { interrupt: true })
    expect(reply).toMatchObject({ outcome: 'queued', reply: 'Short, then.' })
    const log = await world.messages(session.id)
    expect(log.map(({ role, interrupted }) => [role, interrupted === true])).toEqual([
      ['user', false],
      ['assistant', true],
      ['user', false],
      ['assistant', false],
    ])
    expect(textOf(log[1]!.parts)).toContain('Once upon a')
  })

  test('of a request that has said nothing leaves no message behind', async () => {
    const world = await createWorld({ store })
    const never = Promise.withResolvers<void>()
    world.vendor.reply({ text: 'Too late.', delay: never.promise }, { text: 'Here.' })
    const session = await world.session()
    await world.send(session.id, 'Hi')
    await world.eventually(async () => world.vendor.requests.length === 1)
    await world.say(session.id, 'Hello?', { interrupt: true })
    never.resolve()
    expect((await world.messages(session.id)).map(({ parts }) => textOf(parts))).toEqual(['Hi', 'Hello?', 'Here.'])
  })

  test('ends the running command, keeps its output, and skips the calls behind it', async () => {
    const world = await createWorld({ store, settings: bashAllowed })
    world.vendor.reply({ calls: [bash(forever(world)), bash('touch second')] }, { text: 'Stopped.' })
    const session = await world.session({ agent: 'coder' })
    const heard = world.streams('begun')
    await world.send(session.id, 'Run')
    await heard
    expect(await world.say(session.id, 'Stop that', { interrupt: true })).toMatchObject({ reply: 'Stopped.' })
    expect(await world.results(session.id)).toEqual([
      expect.stringMatching(/begun[\s\S]*interrupted/),
      'skipped: interrupted',
    ])
    expect(existsSync(join(world.project, 'second'))).toBe(false)
    await ended(world)
  })
})

describe.each(storesInTurn(import.meta.filename))('a cancel on %s', (store) => {
  test('aborts the stream, keeps the text, and makes no further call', async () => {
    const world = await createWorld({ store })
    world.vendor.reply({ text: 'On and on', hang: true })
    const session = await world.session()
    const heard = world.streams('On and')
    const mail = await world.send(session.id, 'Talk')
    await heard
    await world.ok('POST', `/api/sessions/${session.id}/cancel`)
    expect(await world.settled(mail.mailId)).toMatchObject({ ended: true, end: 'canceled' })
    expect((await world.messages(session.id)).at(-1)).toMatchObject({ role: 'assistant', interrupted: true })
    expect(world.vendor.requests).toHaveLength(1)
    expect(await world.look(session.id)).toMatchObject({ status: 'idle' })
    expect(await world.say(session.id, 'And now?')).toMatchObject({ end: 'done' })
  })

  test('ends a command and every call behind it', async () => {
    const world = await createWorld({ store, settings: bashAllowed })
    world.vendor.reply({ calls: [bash(forever(world)), bash('touch second')] })
    const session = await world.session({ agent: 'coder' })
    const heard = world.streams('begun')
    const mail = await world.send(session.id, 'Run')
    await heard
    await world.ok('POST', `/api/sessions/${session.id}/cancel`)
    expect(await world.settled(mail.mailId)).toMatchObject({ end: 'canceled' })
    expect(await world.results(session.id)).toEqual([expect.stringContaining('begun'), 'skipped: canceled'])
    expect(world.vendor.requests).toHaveLength(1)
    await ended(world)
  })

  test('of a parked pair answers both calls and empties the inbox; the next message goes on', async () => {
    const world = await createWorld({ store })
    world.vendor.reply({ calls: [bash('echo hi'), { name: 'write_file', input: { path: '.env', content: 'X=1' } }] })
    const session = await world.session({ agent: 'coder' })
    const parked = await world.say(session.id, 'Go')
    expect(await world.inbox()).toHaveLength(2)
    await world.ok('POST', `/api/sessions/${session.id}/cancel`)
    expect(await world.settled(parked.mailId)).toMatchObject({ end: 'canceled' })
    expect(await world.inbox()).toEqual([])
    expect(await world.results(session.id)).toEqual(['canceled', 'canceled'])
    expect(await world.say(session.id, 'Next')).toMatchObject({ end: 'done' })
  })

  test('of a turn that nobody runs yet ends what was asked before it, and not what is asked after it', async () => {
    const world = await createWorld({ store, settings: { limits: { maxConcurrentTurns: 1 } } })
    const gate = Promise.withResolvers<void>()
    world.vendor.reply({ text: 'Busy.', delay: gate.promise }, { text: 'That is done.' })
    const [first, session] = [await world.session(), await world.session()]
    const busy = await world.send(first.id, 'Hold the only slot')
    await world.eventually(async () => world.vendor.requests.length === 1)
    // More than a safe point would take at once.
    const long = 'x'.repeat(30_000)
    const before = await world.send(session.id, `Do this ${long}`)
    const more = await world.send(session.id, `And this ${long}`)
    await world.ok('POST', `/api/sessions/${session.id}/cancel`)
    const after = await world.send(session.id, 'Do that')
    for (const { mailId } of [before, more])
      expect(await world.settled(mailId)).toMatchObject({ ended: true, end: 'canceled' })
    gate.resolve()
    expect(await world.settled(after.mailId)).toMatchObject({ end: 'done', reply: 'That is done.' })
    await world.settled(busy.mailId)
    expect((await world.messages(session.id)).map(({ parts }) => textOf(parts).slice(0, 13))).toEqual([
      'Do this xxxxx',
      'And this xxxx',
      'Do that',
      'That is done.',
    ])
  })

  test('of an idle session changes nothing', async () => {
    const world = await createWorld({ store })
    const session = await world.session()
    expect(await world.ok('POST', `/api/sessions/${session.id}/cancel`)).toMatchObject({ status: 'idle' })
    expect(await world.say(session.id, 'Hi')).toMatchObject({ end: 'done' })
  })

  test('of a paused turn ends it', async () => {
    const world = await createWorld({ store })
    world.vendor.reply(ask)
    const session = await world.session()
    const parked = await world.say(session.id, 'Go')
    await world.ok('POST', `/api/sessions/${session.id}/pause`)
    await world.ok('POST', `/api/sessions/${session.id}/cancel`)
    expect(await world.settled(parked.mailId)).toMatchObject({ end: 'canceled' })
    expect(await world.look(session.id)).toMatchObject({ status: 'idle' })
  })
})

describe.each(storesInTurn(import.meta.filename))('a pause on %s', (store) => {
  /** Its command runs until the file `go` is there. */
  const duringCommand = async () => {
    const world = await createWorld({ store, settings: bashAllowed })
    world.vendor.reply({ calls: [bash(untilFile('go'))] }, { text: 'Done.' })
    const session = await world.session({ agent: 'coder' })
    const mail = await world.send(session.id, 'Run')
    await started(world, session.id)
    return { world, session, mail }
  }

  test('of a running turn lets the command end and makes no further model call until it is resumed', async () => {
    const { world, session, mail } = await duringCommand()
    await world.ok('POST', `/api/sessions/${session.id}/pause`)
    writeFileSync(join(world.project, 'go'), '')
    expect(await world.reaches(session.id, 'paused')).toMatchObject({ reason: 'Paused by a person.' })
    expect(world.vendor.requests).toHaveLength(1)
    expect(await world.results(session.id)).toEqual(['seen'])
    await world.ok('POST', `/api/sessions/${session.id}/resume`)
    expect(await world.settled(mail.mailId)).toMatchObject({ reply: 'Done.' })
  })

  test('that is taken back before the safe point has no effect', async () => {
    const { world, session, mail } = await duringCommand()
    await world.ok('POST', `/api/sessions/${session.id}/pause`)
    await world.ok('POST', `/api/sessions/${session.id}/resume`)
    writeFileSync(join(world.project, 'go'), '')
    expect(await world.settled(mail.mailId)).toMatchObject({ reply: 'Done.' })
    const passed = (await world.events(session.id))
      .filter(({ type }) => type === 'session.status')
      .map(({ data }) => data.to)
    expect(passed).not.toContain('paused')
  })

  test('of a waiting turn still takes the answer, and goes on with it when resumed', async () => {
    const world = await createWorld({ store })
    world.vendor.reply(ask, { text: 'Thanks.' })
    const session = await world.session()
    const parked = await world.say(session.id, 'Go')
    const [item] = await world.inbox()
    await world.ok('POST', `/api/sessions/${session.id}/pause`)
    await world.ok('POST', `/api/inbox/${item?.id}/answer`, { answer: 'Yes' })
    expect(await world.look(session.id)).toMatchObject({ status: 'paused' })
    expect(world.vendor.requests).toHaveLength(1)
    await world.ok('POST', `/api/sessions/${session.id}/resume`)
    expect(await world.settled(parked.mailId)).toMatchObject({ reply: 'Thanks.' })
  })

  test('of a waiting turn, resumed with nothing answered, waits as before', async () => {
    const world = await createWorld({ store })
    world.vendor.reply(ask, { text: 'Thanks.' })
    const session = await world.session()
    await world.say(session.id, 'Go')
    await world.ok('POST', `/api/sessions/${session.id}/pause`)
    await world.ok('POST', `/api/sessions/${session.id}/resume`)
    await world.reaches(session.id, 'waiting')
    expect(await world.say(session.id, 'Yes')).toMatchObject({ outcome: 'answered', reply: 'Thanks.' })
  })

  test('does not take back a cancel that was asked for before it', async () => {
    const world = await createWorld({ store, settings: bashAllowed })
    world.vendor.reply({ calls: [bash(forever(world))] })
    const session = await world.session({ agent: 'coder' })
    const heard = world.streams('begun')
    const mail = await world.send(session.id, 'Run')
    await heard
    await world.ok('POST', `/api/sessions/${session.id}/cancel`)
    await world.request('POST', `/api/sessions/${session.id}/pause`)
    expect(await world.settled(mail.mailId)).toMatchObject({ end: 'canceled' })
  })

  test('of a closed session is refused, and so is resuming one that does not rest', async () => {
    const world = await createWorld({ store })
    const session = await world.session()
    expect((await world.request('POST', `/api/sessions/${session.id}/resume`)).status).toBe(409)
    await world.ok('POST', `/api/sessions/${session.id}/close`)
    const refused = await world.request('POST', `/api/sessions/${session.id}/pause`)
    expect(refused.status).toBe(409)
    expect(refused.body).toMatchObject({ error: { code: 'session.state', hint: 'Reopen it first.' } })
  })
})

test('a failed turn is tried once more by resuming it', async () => {
  const world = await createWorld()
  world.vendor.reply({ error: { kind: 'auth' } }, { text: 'Better.' })
  const session = await world.session()
  await world.say(session.id, 'Hi')
  await world.ok('POST', `/api/sessions/${session.id}/resume`)
  // It is idle before the new turn begins, too.
  const messages = await world.eventually(async () => {
    const found = await world.messages(session.id)
    return found.length === 2 && found
  })
  expect(messages.map(({ parts }) => textOf(parts))).toEqual(['Hi', 'Better.'])
})
