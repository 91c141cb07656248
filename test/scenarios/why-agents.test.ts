import { describe, expect, test } from 'vitest'
import type { Session } from '../../src/contract/sessions.ts'
import { Why } from '../../src/contract/why.ts'
import { storesInTurn } from '../kit/database.ts'
import { troupe } from '../kit/program.ts'
import type { Reply, SeenRequest } from '../kit/vendor/reply.ts'
import { createWorld, type World } from '../kit/world.ts'

const why = async (world: World, ref: string): Promise<Why> => Why.parse(await world.ok<Why>('GET', `/api/why/${ref}`))

const commands = ({ unblock }: Why) => unblock.map(({ command }) => command)

const ask = (to: string, message: string) => ({ name: 'agent_message', input: { to, message, timeout: 600 } })
const tell = (to: string, message: string) => ({ name: 'agent_send', input: { to, message } })
const spawn = (agent: string, instruction: string, wait = true) => ({
  name: 'agent_spawn',
  input: { agent, instruction, wait, returnMode: 'lastMessage' },
})
const question = { name: 'ask_human', input: { question: 'Which tone?' } }

/** Each agent acts once on the word it was sent, then says what came of it. */
function plays(world: World, parts: Record<string, Reply>): void {
  world.vendor.script((request: SeenRequest) => {
    if (request.messages.at(-1)?.role === 'tool') return { text: `Done: ${request.messages.at(-1)?.results[0]?.text}` }
    const word = Object.keys(parts).find((key) => request.lastUserText.includes(key))
    return word === undefined ? { text: 'Yes.' } : parts[word]!
  })
}

async function sessionOf(world: World, agent: string, status: Session['status']): Promise<Session> {
  return world.eventually(async () => {
    const { items } = await world.ok<{ items: Session[] }>('GET', `/api/sessions?agent=${agent}`)
    return items.find((session) => session.status === status)
  })
}

describe.each(storesInTurn(import.meta.filename))('why between agents on %s', (store) => {
  test('a chain of questions is followed to the person at its end, who ends it with the command that is named', async () => {
    const world = await createWorld({ store })
    plays(world, {
      relay: { calls: [ask('researcher', 'inquire')] },
      inquire: { calls: [ask('writer', 'compose')] },
      compose: { calls: [question] },
    })
    const first = await world.session()
    const mail = await world.send(first.id, 'relay')
    const last = await sessionOf(world, 'writer', 'waiting')
    const middle = await sessionOf(world, 'researcher', 'waiting')
    await world.reaches(first.id, 'waiting')
    const [item] = await world.inbox()

    const seen = await why(world, first.handle)
    expect(seen).toMatchObject({
      state: 'waiting',
      waitsOn: [{ kind: 'session', ref: middle.id, label: expect.stringContaining('has read the question: inquire') }],
      wakes: { by: 'answer', at: expect.any(String) },
    })
    expect(seen.text.split('\n').filter((line) => line.includes('→'))).toEqual([
      expect.stringContaining(`researcher ${middle.handle} waits for the answer of writer ${last.handle}`),
      expect.stringContaining(`writer ${last.handle} waits for your answer`),
    ])
    expect(commands(seen)[0]).toBe(`troupe inbox answer ${item!.id} "…"`)
    expect((await why(world, last.id)).text).toContain(`researcher ${middle.handle} waits for its answer.`)
    await troupe(world, 'inbox', 'answer', item!.id, 'warm')
    expect((await world.settled(mail.mailId)).reply).toContain('warm')
  })

  test('a question may be answered in place of the one who was asked', async () => {
    const world = await createWorld({ store })
    plays(world, { relay: { calls: [ask('writer', 'compose')] }, compose: { calls: [question] } })
    const first = await world.session()
    const mail = await world.send(first.id, 'relay')
    await sessionOf(world, 'writer', 'waiting')
    await world.reaches(first.id, 'waiting')
    const command = commands(await why(world, first.id)).find((text) => text?.startsWith('troupe answer mail_'))!
    const asked = await why(world, command.split(' ')[2]!)
    expect(asked.text).toContain(`It is a question: assistant ${first.handle} waits for the answer`)
    await troupe(world, ...command.split(' ').slice(1, 3), 'cold')
    await world.reaches(first.id, 'idle')
    expect((await world.settled(mail.mailId)).reply).toContain('cold')
  })

  test('a sub-agent that needs the person is seen from its parent, its call and its task', async () => {
    const world = await createWorld({ store })
    plays(world, {
      delegate: { calls: [spawn('coder', 'make it')] },
      'make it': { calls: [{ name: 'bash', input: { command: 'touch made.txt' } }] },
    })
    const parent = await world.session()
    const mail = await world.send(parent.id, 'delegate')
    const child = await sessionOf(world, 'coder', 'waiting')
    await world.reaches(parent.id, 'waiting')
    const [item] = await world.inbox()

    const seen = await why(world, parent.id)
    expect(seen).toMatchObject({ waitsOn: [{ kind: 'task', ref: child.taskId }], wakes: { by: 'task' } })
    expect(seen.text).toContain(`assistant ${parent.handle} waits for coder ${child.handle} to finish`)
    expect(seen.text).toContain(`→ coder ${child.handle} waits for your approval of bash`)
    expect((await world.look(parent.id)).reason).toBe(`Waiting for coder ${child.handle} to finish.`)
    const told = (await world.events(child.id)).findLast(({ type }) => type === 'task.waiting')
    expect(told?.data).toMatchObject({ reason: 'Waiting for your approval of bash.' })
    expect(commands(seen)[0]).toBe(`troupe inbox approve ${item!.id}`)
    const call = (await world.events(parent.id)).findLast(({ type }) => type === 'call.parked')?.data.callId as string
    expect(await why(world, call)).toMatchObject({ state: 'parked', waitsOn: [{ kind: 'task', ref: child.taskId }] })
    const task = await why(world, child.taskId!)
    expect(task).toMatchObject({ state: 'waiting', waitsOn: [{ kind: 'approval', ref: item!.id }] })
    expect(task.text).toContain('It is to do: make it')

    await troupe(world, 'inbox', 'approve', item!.id)
    await world.settled(mail.mailId)
    expect(await why(world, child.taskId!)).toMatchObject({ state: 'finished', wakes: { by: 'nothing' } })
    expect((await why(world, child.id)).text).toContain('has ended its work: its task is finished')
  })

  test('of two tasks where one may run, the other says what it waits for; their maker, what each is doing', async () => {
    const world = await createWorld({ store, settings: { limits: { maxConcurrentTasks: 1 } } })
    const gate = Promise.withResolvers<void>()
    world.vendor.script(({ messages, lastUserText }) => {
      if (lastUserText.includes('dig')) return { text: 'Dug.', delay: gate.promise }
      if (!lastUserText.includes('delegate')) return { text: 'Drafted.' }
      const spawned = messages.flatMap(({ results }) => results).length
      return [
        { calls: [spawn('researcher', 'dig', false)] },
        { calls: [spawn('writer', 'draft', false)] },
        { text: 'Given away.' },
      ][spawned]!
    })
    const parent = await world.session()
    await world.say(parent.id, 'delegate')
    const working = await sessionOf(world, 'researcher', 'running')
    const pending = await sessionOf(world, 'writer', 'idle')

    const seen = await why(world, parent.id)
    expect(seen).toMatchObject({ state: 'idle', wakes: { by: 'mail' } })
    expect(seen.waitsOn.map(({ ref, label }) => [ref, /(processing|pending)/.exec(label)?.[0]])).toEqual([
      [working.taskId, 'processing'],
      [pending.taskId, 'pending'],
    ])
    for (const ref of [pending.taskId!, pending.id]) {
      expect(await why(world, ref)).toMatchObject({
        waitsOn: [{ kind: 'slot', ref: 'limits.maxConcurrentTasks', label: '1 of 1 tasks run at once' }],
        wakes: { by: 'task' },
      })
    }
    expect((await why(world, working.taskId!)).text).toContain('waits for lab/test-model')
    gate.resolve()
    await world.eventually(async () => (await why(world, pending.taskId!)).state === 'finished')
    await world.reaches(parent.id, 'idle')
  })

  test('a wait for the first of several tasks says so', async () => {
    const world = await createWorld({ store })
    world.vendor.script(({ messages, lastUserText }) => {
      if (lastUserText.includes('nap')) return { calls: [{ name: 'sleep', input: { seconds: 600 } }] }
      const results = messages.flatMap((message) => message.results)
      if (results.length === 0) return { calls: [spawn('writer', 'nap', false), spawn('writer', 'nap', false)] }
      const taskIds = results.flatMap(({ text }) => /task_[0-9a-f]+/.exec(text)?.[0] ?? [])
      return { calls: [{ name: 'task_wait', input: { taskIds, until: 'any' } }] }
    })
    const parent = await world.session()
    await world.send(parent.id, 'delegate')
    await world.reaches(parent.id, 'waiting')
    const seen = await why(world, parent.id)
    expect(seen.waitsOn.map(({ kind }) => kind)).toEqual(['task', 'task'])
    expect(seen.wakes).toMatchObject({ by: 'task', label: expect.stringContaining('the end of one of those tasks') })
  })

  test('mail that the wake budget stopped says so, and what the notice takes lets it through', async () => {
    const world = await createWorld({ store, settings: { loop: { autoWakeBudget: 1 } } })
    plays(world, { gossip: { calls: [tell('writer', 'one'), tell('writer', 'two')] } })
    const first = await world.session()
    await world.say(first.id, 'gossip')
    const target = await sessionOf(world, 'writer', 'idle')
    const [notice] = await world.inbox()
    const seen = await world.eventually(async () => {
      const now = await why(world, target.id)
      return now.waitsOn[0]?.kind === 'budget' && now
    })
    expect(seen).toMatchObject({ state: 'idle', waitsOn: [{ ref: 'loop.autoWakeBudget' }], wakes: { by: 'mail' } })
    expect(seen.text).toContain('1 message of agents did not wake it')
    expect(commands(seen)).toEqual([`troupe inbox answer ${notice!.id} "go on"`, `troupe send ${target.handle} "…"`])
    const { items } = await world.ok<{ items: { id: string }[] }>('GET', `/api/mail?session=${target.id}`)
    expect(await why(world, items[0]!.id)).toMatchObject({ state: 'suppressed', waitsOn: [{ kind: 'budget' }] })
    const stopped = await why(world, notice!.id)
    expect(commands(stopped)[0]).toBe(`troupe inbox answer ${notice!.id} "go on"`)
    await troupe(world, 'inbox', 'answer', notice!.id, 'go on')
    await world.eventually(async () => (await why(world, items[0]!.id)).state === 'taken')
    await world.reaches(target.id, 'idle')
  })

  test('mail of a chain that went too far names the chain', async () => {
    const world = await createWorld({ store, settings: { loop: { maxHops: 1 } } })
    plays(world, { relay: { calls: [tell('researcher', 'onward')] }, onward: { calls: [tell('writer', 'too far')] } })
    const first = await world.session()
    await world.say(first.id, 'relay')
    const { mailId } = await world.eventually(
      async () =>
        (await world.events()).find(({ type, data }) => type === 'mail.accepted' && data.outcome === 'suppressed')
          ?.data as { mailId: string } | undefined,
    )
    const seen = await why(world, mailId)
    expect(seen).toMatchObject({ state: 'suppressed', waitsOn: [{ kind: 'chain', label: 'stopped after 2 hops' }] })
    const [notice] = await world.inbox()
    expect(commands(seen)).toContain(`troupe inbox answer ${notice!.id} "go on"`)
  })
})

test('a long chain of questions is followed ten steps, and then says where to ask on', async () => {
  const names = Array.from({ length: 13 }, (_, at) => `link${at}`)
  const files = Object.fromEntries(
    names.map((name) => [`.troupe/agents/${name}.md`, `---\ndescription: One of many\n---\nYou are ${name}.\n`]),
  )
  const world = await createWorld({ files })
  const steps = names.slice(1).map((name, at) => [`step${at}.`, { calls: [ask(name, `step${at + 1}.`)] }] as const)
  plays(world, { ...Object.fromEntries(steps), 'step12.': { calls: [question] } })
  const first = await world.session({ agent: 'link0' })
  await world.send(first.id, 'step0.')
  await world.eventually(async () => {
    const { items } = await world.ok<{ items: Session[] }>('GET', '/api/sessions?status=waiting')
    return items.length === names.length
  })
  const lines = (await why(world, first.id)).text.split('\n')
  expect(lines.filter((line) => line.includes('→'))).toHaveLength(10)
  const further = /troupe why (\w+)$/.exec(lines.find((line) => line.includes('and further')) ?? '')
  expect((await why(world, further![1]!)).text).toMatch(/^link11 .*→ link12 \w+ waits for your answer/s)
})
