import { describe, expect, test } from 'vitest'
import { Why } from '../../src/contract/why.ts'
import { createClock } from '../kit/clock.ts'
import { storesInTurn } from '../kit/database.ts'
import { troupe } from '../kit/program.ts'
import { pass } from '../kit/triggers.ts'
import { createWorld, type World } from '../kit/world.ts'

const question = (text: string) => ({ name: 'ask_human', input: { question: text } })
const bash = (command: string) => ({ name: 'bash', input: { command } })

const why = (world: World, ref: string): Promise<Why> => world.ok<Why>('GET', `/api/why/${ref}`)

const commands = ({ unblock }: Why) => unblock.map(({ command }) => command)

/** A session whose turn waits for the vendor until the gate is opened. */
async function busy(world: World) {
  const gate = Promise.withResolvers<void>()
  world.vendor.reply({ text: 'Done.', delay: gate.promise })
  const session = await world.session()
  const before = world.vendor.requests.length
  const mail = await world.send(session.id, 'Work')
  await world.eventually(async () => world.vendor.requests.length > before)
  return { session, mail, gate }
}

describe.each(storesInTurn(import.meta.filename))('why on %s', (store) => {
  test('a session with nothing to do says so, since when, and how to give it something', async () => {
    const world = await createWorld({ store })
    const session = await world.session()
    const fresh = await why(world, session.handle)
    expect(Why.parse(fresh)).toMatchObject({
      ref: session.id,
      state: 'idle',
      since: session.createdAt,
      waitsOn: [],
      wakes: { by: 'mail' },
      unblock: [{ who: 'human', command: `troupe send ${session.handle} "…"` }],
    })
    expect(fresh.text).toContain(`assistant ${session.handle} is idle: it has nothing to do`)
    await world.say(session.id, 'Hi')
    const ended = (await world.events(session.id)).findLast(({ type }) => type === 'session.status')
    expect((await why(world, session.id)).since).toBe(ended?.at)
  })

  test('a model call that runs is named with its model and its place in the turn', async () => {
    const world = await createWorld({ store })
    const { session, mail, gate } = await busy(world)
    const running = await why(world, session.id)
    expect(running).toMatchObject({
      state: 'running',
      waitsOn: [{ kind: 'model', ref: 'lab/test-model', label: 'call 1 of this turn' }],
      wakes: { by: 'model' },
    })
    expect(running.text).toContain(`assistant ${session.handle} waits for lab/test-model`)
    expect(commands(running)).toContain(`troupe sessions cancel ${session.handle}`)
    expect(await why(world, mail.mailId)).toMatchObject({ state: 'taken', waitsOn: [{ ref: session.id }] })
    gate.resolve()
    await world.settled(mail.mailId)
    expect((await why(world, mail.mailId)).text).toMatch(/was read by .* that turn ended at .* \(done\)/)
  })

  test('a model that is asked again later says when and why', async () => {
    const world = await createWorld({ store, clock: createClock() })
    world.vendor.reply({ error: { kind: 'rate-limit', retryAfter: 90 } })
    const session = await world.session()
    await world.send(session.id, 'Work')
    const pausing = await world.eventually(async () => {
      const seen = await why(world, session.id)
      return seen.wakes.by === 'time' && seen
    })
    expect(pausing.text).toContain('pauses before it asks lab/test-model again')
    expect(pausing.waitsOn[0]?.label).toMatch(/limiting/)
    expect(Date.parse(pausing.wakes.at!) - Date.parse(pausing.since)).toBe(90_000)
    await world.ok('POST', `/api/sessions/${session.id}/cancel`)
    await world.reaches(session.id, 'idle')
  })

  test('a command that runs is named; what waits behind it in the mailbox is counted', async () => {
    const world = await createWorld({ store, settings: { permissions: { allow: ['bash'] } } })
    world.vendor.reply({ calls: [bash('echo begun; sleep 600')] })
    const session = await world.session({ agent: 'coder' })
    const heard = world.streams('begun')
    await world.send(session.id, 'Run it')
    await heard
    const queued = await world.send(session.id, 'And then?')
    const held = await world.send(session.id, 'At the end', { followup: true })
    const running = await why(world, session.id)
    expect(running).toMatchObject({ state: 'running', wakes: { by: 'call' } })
    expect(running.waitsOn).toMatchObject([{ kind: 'call', label: 'bash: echo begun; sleep 600' }])
    expect(running.text).toContain('1 message in its mailbox: read at the next safe point.')
    expect(running.text).toContain('1 follow-up held')
    const call = await why(world, running.waitsOn[0]!.ref)
    expect(call).toMatchObject({ state: 'started', unblock: [{ command: `troupe sessions cancel ${session.handle}` }] })
    expect(await why(world, queued.mailId)).toMatchObject({
      state: 'queued',
      waitsOn: [{ kind: 'session', ref: session.id }],
      wakes: { by: 'safe-point', label: expect.stringContaining('at the next safe point') },
    })
    expect((await why(world, held.mailId)).wakes.label).toContain('when its turn would end')
    expect(commands(await why(world, held.mailId))).toEqual([`troupe sessions cancel ${session.handle}`])
    await world.ok('POST', `/api/sessions/${session.id}/pause`)
    expect((await why(world, session.id)).text).toContain(
      'A person asked it to pause; it obeys at the next safe point.',
    )
    await troupe(world, 'sessions', 'cancel', session.handle)
    await world.eventually(async () => (await why(world, held.mailId)).state === 'taken')
    await world.reaches(session.id, 'idle')
  })

  test('an approval names the inbox item and the very commands, and one of them unblocks it', async () => {
    const world = await createWorld({ store })
    world.vendor.reply({ calls: [bash('touch made.txt'), bash('touch more.txt')] }, { text: 'Made.' })
    const session = await world.session({ agent: 'coder' })
    const parked = await world.say(session.id, 'Make it')
    const first = (await world.inbox()).find(({ body }) => body.includes('made.txt'))
    const waiting = await why(world, session.id)
    expect(waiting).toMatchObject({ state: 'waiting', wakes: { by: 'answer' } })
    expect(waiting.waitsOn).toContainEqual({
      kind: 'approval',
      ref: first!.id,
      label: 'bash: touch made.txt',
    })
    expect(commands(waiting)).toContain(`troupe inbox approve ${first!.id}`)
    expect(waiting.text).toContain('waits for your approval of bash (2 times)')
    expect((await world.look(session.id)).reason).toBe('Waiting for your approval of bash (2 times).')
    expect(await troupe(world, 'sessions', 'show', session.handle)).toContain(
      'waits for your approval of bash (2 times)',
    )
    const item = await why(world, first!.id.slice(0, 14))
    expect(item).toMatchObject({ ref: first!.id, state: 'open', waitsOn: [{ kind: 'person' }] })
    expect(item.text.split('\n')).toEqual([
      expect.stringMatching(
        new RegExp(
          `^The approval that coder ${session.handle} asks for waits for your decision, for .* \\(since .*\\)\\.$`,
        ),
      ),
      '  person human: your decision',
      'It says: coder wants to use bash',
      `Until then coder ${session.handle} waits, with bash: touch made.txt.`,
      'Next: your decision.',
      'Who can change that:',
      `  troupe inbox approve ${first!.id}   (let it run)`,
      `  troupe inbox deny ${first!.id} --reason "…"   (refuse it)`,
    ])
    const call = await why(world, first!.waits[0]!.callId!)
    expect(call).toMatchObject({ state: 'parked', waitsOn: [{ kind: 'approval', ref: first!.id }] })
    for (const command of commands(waiting).filter((text) => text?.startsWith('troupe inbox approve'))) {
      await troupe(world, ...command!.split(' ').slice(1))
    }
    expect(await world.settled(parked.mailId)).toMatchObject({ reply: 'Made.' })
    const answered = await why(world, first!.id)
    expect(answered).toMatchObject({ state: 'answered', wakes: { by: 'nothing' } })
    expect(answered.text).toMatch(/asks for was answered by you, \w+ ago \(.* UTC\)\./)
    expect(await why(world, first!.waits[0]!.callId!)).toMatchObject({ state: 'done', wakes: { by: 'nothing' } })
  })

  test('a call that stands behind one that waits says which', async () => {
    const world = await createWorld({ store, settings: { permissions: { allow: ['bash'] } } })
    world.vendor.reply({ calls: [question('Which folder?'), bash('true')] })
    const session = await world.session({ agent: 'coder' })
    await world.say(session.id, 'Go')
    const [item] = await world.inbox()
    const calls = await world.server.core.store.read
      .selectFrom('calls')
      .selectAll()
      .where('session_id', '=', session.id)
      .orderBy('position')
      .execute()
    const behind = await why(world, calls[1]!.id)
    expect(behind).toMatchObject({
      state: 'ready',
      waitsOn: [{ kind: 'call', ref: calls[0]!.id, label: expect.stringContaining('Which folder?') }],
    })
    expect(commands(behind)[0]).toBe(`troupe inbox answer ${item!.id} "…"`)
  })

  test('a timer says until when, and that a message ends it', async () => {
    const world = await createWorld({ store })
    world.vendor.reply({ calls: [{ name: 'sleep', input: { seconds: 300 } }] })
    const session = await world.session()
    await world.send(session.id, 'Sleep')
    await world.reaches(session.id, 'waiting')
    const asleep = await why(world, session.id)
    const until = Date.parse(asleep.wakes.at!)
    expect(Math.round((until - Date.parse(asleep.since)) / 1000)).toBe(300)
    const moment = new Date(until).toISOString().slice(0, 19).replace('T', ' ')
    expect(asleep).toMatchObject({
      state: 'waiting',
      waitsOn: [{ kind: 'timer', label: `sleep until ${moment} UTC` }],
      wakes: { by: 'time' },
    })
    expect(asleep.text).toContain(`for the time ${moment} UTC`)
    expect(commands(asleep)).toContain(`troupe send ${session.handle} "…"`)
  })

  test('paused, failed and closed sessions name the command that brings them back', async () => {
    const world = await createWorld({ store })
    world.vendor.reply({ error: { kind: 'auth' } })
    const [paused, failed, closed] = [await world.session(), await world.session(), await world.session()]
    await world.say(failed.id, 'Try')
    await world.ok('POST', `/api/sessions/${paused.id}/pause`)
    await world.send(paused.id, 'Hello?')
    await world.ok('POST', `/api/sessions/${closed.id}/close`)

    const one = await why(world, paused.id)
    expect(one).toMatchObject({ state: 'paused', waitsOn: [{ kind: 'person' }], wakes: { by: 'person' } })
    expect(commands(one)).toEqual([`troupe sessions resume ${paused.handle}`])
    expect(one.text).toContain('1 message in its mailbox: read once it is resumed.')

    const two = await why(world, failed.id)
    expect(two).toMatchObject({ state: 'error', wakes: { by: 'mail' } })
    expect(two.text).toContain((await world.look(failed.id)).reason!.slice(0, 100))
    expect(commands(two)).toContain(`troupe sessions resume ${failed.handle}`)

    const three = await why(world, closed.id)
    expect(three).toMatchObject({ state: 'closed', since: (await world.look(closed.id)).closedAt })
    expect(commands(three)).toContain(`troupe sessions reopen ${closed.handle}`)
  })

  test('a question in a paused session is shown with both things that are needed', async () => {
    const world = await createWorld({ store })
    world.vendor.reply({ calls: [question('Sure?')] })
    const session = await world.session()
    await world.say(session.id, 'Go')
    await world.ok('POST', `/api/sessions/${session.id}/pause`)
    const [item] = await world.inbox()
    const paused = await why(world, session.id)
    expect(paused.waitsOn.map(({ kind }) => kind)).toEqual(['person', 'question'])
    expect(commands(paused)).toEqual([
      `troupe sessions resume ${session.handle}`,
      `troupe inbox answer ${item!.id} "…"`,
    ])
    const asked = await why(world, item!.id)
    expect(asked.text).toContain(`The question of assistant ${session.handle} waits for your answer, for `)
    expect(asked.text).toContain(`It asks: Sure?\nUntil then assistant ${session.handle} waits.\nThe session is paused`)
    const both = [`troupe inbox answer ${item!.id} "…"`, `troupe sessions resume ${session.handle}`]
    expect(commands(asked)).toEqual(both)
    await world.ok('POST', '/api/pause')
    expect(commands(await why(world, item!.id))).toEqual([...both, 'troupe resume --all'])
  })

  test('a question that expires says when; one that nobody answered, that it did', async () => {
    const clock = createClock()
    const world = await createWorld({ store, clock })
    world.vendor.reply({ calls: [question('Sure?')] }, { text: 'Without, then.' })
    const session = await world.session({ questions: 'expire:600' })
    await world.say(session.id, 'Go')
    const [item] = await world.inbox()
    expect(await why(world, item!.id)).toMatchObject({
      wakes: {
        by: 'person',
        label: expect.stringMatching(/^your answer, or the time .* UTC$/),
        at: expect.any(String),
      },
    })
    pass(world, clock, 601_000)
    await world.reaches(session.id, 'idle')
    expect((await why(world, item!.id)).text).toContain('expired, because nobody answered in time, ')
  })

  test('with no slot free, what waits for one says so', async () => {
    const world = await createWorld({ store, settings: { limits: { maxConcurrentTurns: 1 } } })
    const { gate, mail } = await busy(world)
    const second = await world.session()
    const waiting = await world.send(second.id, 'Me too')
    const seen = await why(world, second.id)
    expect(seen).toMatchObject({
      state: 'idle',
      waitsOn: [{ kind: 'slot', ref: 'limits.maxConcurrentTurns', label: '1 of 1 turns run at once' }],
      wakes: { by: 'runner' },
    })
    expect((await why(world, waiting.mailId)).text).toContain('waits for a free slot')
    gate.resolve()
    await world.settled(mail.mailId)
    await world.settled(waiting.mailId)
  })

  test('things that are not there, or are not things, are refused with a way out', async () => {
    const world = await createWorld({ store })
    for (const ref of ['call_none', 'task_none', 'mail_none', 'inbox_none', 'ffffffff']) {
      expect((await world.request('GET', `/api/why/${ref}`)).status).toBe(404)
    }
    const nothing = await world.request('GET', '/api/why/assistant')
    expect(nothing).toMatchObject({ status: 400, body: { error: { hint: expect.stringContaining('handle') } } })
  })

  test('words of a model can neither hide in the text nor carry a secret into it', async () => {
    const world = await createWorld({ store, env: { LAB_API_KEY: 'a-very-secret-key-of-mine' } })
    world.vendor.reply({ calls: [question('Use \u001b[2Ja-very-secret-key-of-mine\u202e?')] })
    const session = await world.session()
    await world.say(session.id, 'Go')
    const { text } = await why(world, session.id)
    expect(text).toContain('Use \\u{1b}[2J')
    for (const hidden of ['\u001b', '\u202e', 'a-very-secret-key']) expect(text).not.toContain(hidden)
  })
})
