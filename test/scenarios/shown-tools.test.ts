import { describe, expect, test } from 'vitest'
import type { Session } from '../../src/contract/sessions.ts'
import { cast } from '../kit/cast.ts'
import { storesInTurn } from '../kit/database.ts'
import { troupe } from '../kit/program.ts'
import { spawn } from '../kit/script.ts'
import type { SeenRequest } from '../kit/vendor/reply.ts'
import { createWorld, type World } from '../kit/world.ts'

interface Shown {
  name: string
  tier: string
  inputSchema: { properties: Record<string, unknown> }
  permission: { decision: string; because: string }
}

/** What the model was shown, by tool: the names of the fields. */
function shownTo({ body }: SeenRequest): Record<string, string[]> {
  const tools = body.tools as { function: { name: string; parameters: { properties?: object } } }[]
  return Object.fromEntries(
    tools.map(({ function: { name, parameters } }) => [name, Object.keys(parameters.properties ?? {})]),
  )
}

async function toolsOf(world: World, { id }: Session): Promise<Record<string, Shown>> {
  const { items } = await world.ok<{ items: Shown[] }>('GET', `/api/sessions/${id}/tools`)
  return Object.fromEntries(items.map((item) => [item.name, item]))
}

async function shown(world: World, agent: string) {
  const session = await world.session({ agent })
  await world.say(session.id, 'Hi')
  const listed = await toolsOf(world, session)
  const seen = shownTo(world.vendor.requests.at(-1)!)
  // The list says what is so.
  const inRequest = Object.values(listed).filter(({ tier }) => tier !== 'listed')
  const fields = inRequest.map(({ name, inputSchema }) => [name, Object.keys(inputSchema.properties)])
  expect(Object.fromEntries(fields)).toEqual(seen)
  return { seen, listed, session }
}

const noSpawn = { tools: { deny: ['agent_spawn'] } }

describe.each(storesInTurn(import.meta.filename))('tools on %s', (store) => {
  test('what is denied until a rule grants it is not shown before, whatever else is allowed', async () => {
    const files = cast({
      plain: {},
      wide: { permissions: { allow: ['*', 'agent_spawn', 'agent_send', '*(topLevel)', '*(interrupt)'] } },
      lone: noSpawn,
      named: {
        ...noSpawn,
        permissions: { allow: ['agent_send(interrupt)', 'session_read(session:abcd*)'] },
      },
      boss: { permissions: { allow: ['agent_spawn(topLevel)', 'session_read'] } },
      undone: { permissions: { allow: ['agent_spawn(topLevel)'], deny: ['agent_spawn(topLevel)'] } },
    })
    const world = await createWorld({ store, files })
    for (const agent of ['plain', 'wide', 'undone']) {
      const { seen } = await shown(world, agent)
      expect(seen.agent_spawn, agent).toEqual(['agent', 'instruction', 'returnMode', 'wait', 'tools', 'workspace'])
      expect(seen.session_read, agent).toBeUndefined()
      // It can have children, which it may interrupt.
      expect(seen.agent_send, agent).toContain('interrupt')
    }
    expect((await shown(world, 'lone')).seen.agent_send).toEqual(['to', 'message', 'followup', 'session'])
    const named = await shown(world, 'named')
    expect(named.seen.agent_send).toContain('interrupt')
    expect(named.seen.session_read).toEqual(['session', 'offset'])
    expect(named.listed.session_read!.permission.decision).toBe('deny')
    const boss = await shown(world, 'boss')
    expect(boss.seen.agent_spawn).toContain('topLevel')
    expect(boss.listed.session_read!.permission).toEqual({
      decision: 'allow',
      because: expect.stringContaining('rule allow "session_read"'),
    })
  })

  test('a rule that is added counts at the next turn, and leaves the prompt as it was', async () => {
    const world = await createWorld({ store })
    const { session } = await shown(world, 'assistant')
    await world.ok('POST', '/api/permissions', { decision: 'allow', rule: 'agent_spawn(topLevel)' })
    await world.say(session.id, 'Again')
    const [before, after] = world.vendor.requests
    expect(shownTo(after!).agent_spawn).toContain('topLevel')
    expect(after!.system).toBe(before!.system)
  })

  test('a child is shown no more than its makers were granted, and the list of its tools knows their rules', async () => {
    const files = cast({
      maker: { permissions: { deny: ['write_file'] } },
      boss: { permissions: { allow: ['agent_spawn(topLevel)', 'session_read'] } },
    })
    const world = await createWorld({ store, files })
    world.vendor.queue({ model: 'maker' }, { calls: [spawn('boss', 'Lead')] })
    const parent = await world.session({ agent: 'maker' })
    await world.say(parent.id, 'Go')
    const request = world.vendor.requests.find(({ model }) => model === 'boss')!
    expect(shownTo(request).agent_spawn).not.toContain('topLevel')
    expect(shownTo(request).session_read).toBeUndefined()
    const { items } = await world.ok<{ items: Session[] }>('GET', '/api/sessions?agent=boss')
    expect((await toolsOf(world, items[0]!)).write_file!.permission).toEqual({
      decision: 'deny',
      because: expect.stringContaining('rule deny "write_file" (agent maker)'),
    })
  })
})

test('"troupe tools" names the rules that more of them take, and for a session what it has', async () => {
  const world = await createWorld()
  expect(await troupe(world, 'tools')).toContain(
    'Not shown to an agent until a rule allows it: agent_send(interrupt), agent_spawn(topLevel), session_read.',
  )
  const session = await world.session()
  const own = await troupe(world, 'tools', '--session', session.handle)
  expect(own).not.toContain('session_read')
  expect(own).toMatch(/^bash +built-in +loaded +\S+ +ask /m)
})
