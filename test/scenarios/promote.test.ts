import { describe, expect, test } from 'vitest'
import type { Session } from '../../src/contract/sessions.ts'
import { storesInTurn } from '../kit/database.ts'
import { createWorld } from '../kit/world.ts'

describe.each(storesInTurn(import.meta.filename))('promoting on %s', (store) => {
  test('a promoted child works on in chat mode when the one that made it is closed, under the same ceiling', async () => {
    const world = await createWorld({ store })
    const [parent, child, other] = [await world.session(), await world.session(), await world.session()]
    const makers = JSON.stringify([{ from: 'agent assistant', tools: { allow: ['read_file'] } }])
    for (const { id } of [child, other]) {
      await world.server.core.store.write((db) =>
        db
          .updateTable('sessions')
          .set({ parent_session_id: parent.id, mode: 'subagent', makers })
          .where('id', '=', id)
          .execute(),
      )
    }
    const promote = () => world.ok<Session>('POST', `/api/sessions/${child.id}/promote`)
    const promoted = await promote()
    expect(promoted.mode).toBe('chat')
    expect(promoted.parentSessionId).toBeUndefined()
    expect(await promote()).toEqual(promoted)
    await world.ok('POST', `/api/sessions/${parent.id}/close`)
    await world.reaches(other.id, 'closed')
    expect((await world.look(child.id)).status).toBe('idle')
    world.vendor.reply({ calls: [{ name: 'bash', input: { command: 'true' } }] }, { text: 'I may not.' })
    await world.say(child.id, 'Run something')
    expect(JSON.stringify(await world.results(child.id))).toContain('no tool \\"bash\\" here')
  })

  test('the task of a promoted child still ends, its maker learns it, and both go their own ways', async () => {
    const world = await createWorld({ store })
    const gate = Promise.withResolvers<void>()
    world.vendor.script(() => ({ text: 'Counted: three.', delay: gate.promise }), { word: 'Count the files' })
    world.vendor.reply(
      { calls: [{ name: 'agent_spawn', input: { agent: 'researcher', instruction: 'Count the files' } }] },
      { text: 'There are three.' },
    )
    const parent = await world.session()
    const asked = await world.send(parent.id, 'How many?')
    const child = await world.eventually(async () => {
      const { items } = await world.ok<{ items: Session[] }>('GET', '/api/sessions?agent=researcher')
      return items.find(({ status }) => status === 'running')
    })
    expect(child).toMatchObject({ parentSessionId: parent.id, mode: 'subagent' })
    await world.ok('POST', `/api/sessions/${child.id}/promote`)
    gate.resolve()
    expect(await world.settled(asked.mailId)).toMatchObject({ end: 'done', reply: 'There are three.' })
    expect(await world.results(parent.id)).toMatchObject([{ status: 'finished', output: 'Counted: three.' }])
    await world.ok('DELETE', `/api/sessions/${parent.id}`)
    world.vendor.script(() => ({ text: 'Still here.' }), { word: 'Are you there?' })
    expect(await world.say(child.id, 'Are you there?')).toMatchObject({ end: 'done', reply: 'Still here.' })
  })

  test('an agent that does not work in chat mode is not promoted, nor is what nobody made', async () => {
    const agent = JSON.stringify({ modes: { chat: { enabled: false }, subagent: { enabled: true } } })
    const world = await createWorld({
      store,
      files: { '.troupe/agents/mole/agent.json': agent, '.troupe/agents/mole/AGENT.md': 'You dig.' },
    })
    const mole = await world.session({ agent: 'mole', mode: 'subagent' })
    expect(await world.request('POST', `/api/sessions/${mole.id}/promote`)).toMatchObject({
      status: 400,
      body: { error: { code: 'agent.mode_off' } },
    })
    const task = await world.session({ mode: 'task' })
    expect(await world.request('POST', `/api/sessions/${task.id}/promote`)).toMatchObject({
      status: 409,
      body: { error: { code: 'session.state' } },
    })
  })
})
