import { describe, expect, test } from 'vitest'
import type { Mail } from '../../src/contract/mail.ts'
import { textOf } from '../../src/contract/messages.ts'
import type { Session } from '../../src/contract/sessions.ts'
import { findAgent } from '../../src/core/config/agents/find.ts'
import { projectOfSession } from '../../src/core/sessions/project.ts'
import { spawn } from '../../src/core/tasks/spawn.ts'
import { findSession } from '../../src/store/sessions.ts'
import { insertTimer, nextTimer } from '../../src/store/timers.ts'
import { storesInTurn } from '../kit/database.ts'
import { createWorld, type World } from '../kit/world.ts'

const ask = (message: string, timeout: number) => ({
  calls: [{ name: 'agent_message', input: { to: 'researcher', message, timeout } }],
})

const researcherIn = (world: World): Promise<Session> =>
  world.eventually(async () => {
    const { items } = await world.ok<{ items: Session[] }>('GET', '/api/sessions?agent=researcher')
    return items[0]
  })

describe.each(storesInTurn(import.meta.filename))('waits at their borders on %s', (store) => {
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

  test('what a process left to be done when it was killed is done by whoever is there', async () => {
    const world = await createWorld({ store })
    const session = await world.session()
    const { core } = world.server
    const mail = await world.ok<{ mailId: string }>('POST', '/api/mail', { to: session.id, content: 'Hi', wait: 20 })
    const left = { id: 'left', due_at: 1, kind: 'mail', ref: mail.mailId, session_id: session.id, payload: '{}' }
    await core.store.write((db) => insertTimer(db, left))
    if (store === 'sqlite') await world.restart()
    await world.eventually(async () => (await nextTimer(world.server.core.store.read)) === undefined)
  })

  test('nothing is started for a session that is being stopped', async () => {
    const world = await createWorld({ store })
    const { core } = world.server
    const session = await world.session()
    const row = (await findSession(core.store.read, session.id))!
    const project = await projectOfSession(core, row)
    const agent = await findAgent(core, project, 'assistant')
    const chain = { id: 'chain', hops: 0 }
    const by = { sessionId: row.id, callId: 'call_x', agent, definition: agent.definition, project, chain }
    const order = { agent: 'writer', instruction: 'Dig', returnMode: 'raw', wait: false, topLevel: false } as const
    await world.ok('DELETE', `/api/sessions/${session.id}`)
    const made = spawn(core, { ...by, workspace: row.workspace, deadline: core.clock.now() + 60_000 }, order)
    await expect(made).rejects.toThrow('is being stopped')
    const { items } = await world.ok<{ items: Session[] }>('GET', '/api/sessions?agent=writer')
    expect(items).toEqual([])
  })
})
