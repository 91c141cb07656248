import { describe, expect, test } from 'vitest'
import type { Mail } from '../../src/contract/mail.ts'
import { textOf } from '../../src/contract/messages.ts'
import type { Session } from '../../src/contract/sessions.ts'
import { stores } from '../database.ts'
import { createWorld, type World } from '../world.ts'

const ask = (message: string, timeout: number) => ({
  calls: [{ name: 'agent_message', input: { to: 'researcher', message, timeout } }],
})

const researcherIn = (world: World): Promise<Session> =>
  world.eventually(async () => {
    const { items } = await world.ok<{ items: Session[] }>('GET', '/api/sessions?agent=researcher')
    return items[0]
  })

describe.each(stores)('waits at their borders on %s', (store) => {
  test('the late answer to one question is not taken for the answer to the next', async () => {
    const world = await createWorld({ store })
    const gate = Promise.withResolvers<void>()
    world.vendor.script(
      ({ lastUserText }) => (lastUserText.includes('second?') ? { text: 'two' } : { text: 'one', delay: gate.promise }),
      { word: '[question from assistant' },
    )
    world.vendor.reply(ask('first?', 1), ask('second?', 60), { text: 'Both are known.' }, { text: 'Read.' })
    const session = await world.session()
    await world.send(session.id, 'Go')
    const researcher = await researcherIn(world)
    await world.eventually(async () => {
      const { items } = await world.ok<{ items: Mail[] }>('GET', `/api/mail?session=${researcher.id}`)
      return items.some(({ content }) => content === 'second?')
    })
    gate.resolve()
    const log = await world.eventually(async () => {
      const seen = await world.messages(session.id)
      return seen.some(({ from, parts }) => from?.kind === 'agent' && textOf(parts) === 'one') && seen
    })
    expect(log.filter(({ from }) => from?.kind === 'agent')).toHaveLength(1)
    expect(await world.results(session.id)).toMatchObject([
      { status: 'timeout' },
      { status: 'complete', response: 'two' },
    ])
  })

  test('mail that came just before a wait began ends it, as it would have done just after', async () => {
    const world = await createWorld({ store })
    const [gate, work] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    world.vendor.script(() => ({ text: 'Done at last.', delay: work.promise }), { word: 'Long work' })
    world.vendor.reply(
      {
        calls: [{ name: 'agent_spawn', input: { agent: 'researcher', instruction: 'Long work' } }],
        delay: gate.promise,
      },
      { text: 'I wait no longer.' },
      { text: 'So it is done.' },
    )
    const session = await world.session()
    await world.send(session.id, 'Go')
    await world.reaches(session.id, 'running')
    const mail = await world.send(session.id, 'Never mind')
    expect(mail.outcome).toBe('queued')
    gate.resolve()
    expect(await world.settled(mail.mailId)).toMatchObject({ reply: 'I wait no longer.' })
    expect(await world.results(session.id)).toEqual([expect.stringContaining('interrupted by a message')])
    work.resolve()
    await world.eventually(async () =>
      (await world.messages(session.id)).some(({ parts }) => textOf(parts) === 'So it is done.'),
    )
  })

  test('what an agent may not send by its tools, the token of its session does not send either', async () => {
    const deny = JSON.stringify({ permissions: { deny: ['agent_send(human)'] } })
    const world = await createWorld({ store, files: { '.troupe/agents/quiet/agent.json': deny } })
    const session = await world.session({ agent: 'quiet' })
    const response = await fetch(`${world.server.url}/api/mail`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${world.server.core.tokenOf(session.id)}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ to: 'human', content: 'psst' }),
    })
    expect([response.status, await response.json()]).toMatchObject([403, { error: { code: 'permission.denied' } }])
    expect(await world.inbox()).toEqual([])
  })
})
