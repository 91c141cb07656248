import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { cast, requestAs } from '../kit/cast.ts'
import { createClock } from '../kit/clock.ts'
import { memoryText, note, putMemory, trust } from '../kit/memory.ts'
import { firesOf, passAndSettle } from '../kit/triggers.ts'
import { createWorld, type World } from '../kit/world.ts'

/** Ways in that came with tasks, triggers and memory. */

/** Has the agent make these calls in one turn, and gives their results. */
async function calls(world: World, session: string, ...made: { name: string; input: object }[]): Promise<string[]> {
  const before = (await world.results(session)).length
  world.vendor.queue({}, { calls: made }, { text: 'Done.' })
  await world.say(session, 'Go')
  const results = (await world.results(session)).slice(before)
  return results.map((result) => (typeof result === 'string' ? result : JSON.stringify(result)))
}

const schedule = (when: object, action: object) => ({ name: 'schedule', input: { ...when, action } })
const later = { type: 'delayed', config: { delaySeconds: 60 } }
const hook = schedule(later, { type: 'webhook', url: 'https://example.com/hook' })

test('a task is given only to whom the session may reach: by a call, and with its token', async () => {
  const world = await createWorld({ files: cast({ ann: { agents: { deny: ['ben'] } } }, 'ben', 'eve') })
  const ann = await world.session({ agent: 'ann' })
  const order = (agent: string) => ({ agent, input: { prompt: 'Dig' } })
  const [told] = await calls(world, ann.id, { name: 'task_create', input: order('ben') })
  expect(told).toMatch(/You may not give tasks to ben/)
  const answer = await requestAs(world, ann, 'POST', '/api/tasks', order('ben'))
  expect([answer.status, JSON.stringify(answer.body)]).toEqual([403, expect.stringContaining('address.not_allowed')])
  const { items } = await world.ok<{ items: unknown[] }>('GET', '/api/tasks')
  expect(items).toEqual([])
  expect((await requestAs(world, ann, 'POST', '/api/tasks', order('eve'))).status).toBeLessThan(300)
})

test('what an agent sends as a pattern is compared in little time, however it is made', async () => {
  const long = 'a'.repeat(200)
  const files = { ...cast('ann', 'ben'), [long]: 'x' }
  const world = await createWorld({ files, settings: { permissions: { allow: ['bash(ls *)'] } } })
  const ann = await world.session({ agent: 'ann' })
  const list = (pattern: string) => ({ name: 'bash', input: { command: `ls ${pattern}` } })
  const on = (pattern: string) => schedule({ type: 'on_event', config: { pattern } }, { type: 'send', message: 'Hi' })
  const spawn = (...tools: string[]) => ({
    name: 'agent_spawn',
    input: { agent: 'ben', instruction: 'Dig', tools, wait: false },
  })
  const told = await calls(
    world,
    ann.id,
    on(`${'*'.repeat(98)}!`),
    on('*.*.*.*.*.*.*.*.*.*.*!'),
    list(`${'*a'.repeat(40)}b`),
    list(`${'*[a]*?'.repeat(30)}`),
    spawn('+(*)+(*)+(*)+(*)+(*)+(*)Z', '*(+(?)|??)Z', '{*,*a,*_}{*,*e}{*,*_}Z'),
  )
  expect(told).toEqual([
    expect.stringMatching(/matches no type of event/),
    expect.stringMatching(/matches no type of event/),
    expect.stringMatching(/No such file/),
    expect.stringMatching(new RegExp(`^${long}`)),
    expect.stringMatching(/taskId/),
  ])
})

test.each([
  ['has no tool for the web', { tools: { deny: ['web_*'] } }, {}],
  ['has no capability for the net', { capabilities: { deny: ['net'] } }, {}],
  ['may not read from that host', {}, { deny: ['web_fetch(*.com)'] }],
  ['may not call that host', {}, { deny: ['schedule(webhook:*)'] }],
])('an agent that %s sets up no webhook, though webhooks are allowed', async (_, definition, rules) => {
  const world = await createWorld({
    files: cast({ ann: definition }),
    settings: { permissions: { allow: ['schedule', 'schedule(webhook:*)'], ...rules } },
  })
  const ann = await world.session({ agent: 'ann' })
  const [told] = await calls(world, ann.id, hook)
  expect(told).toMatch(/There is no tool "web_fetch"|Not permitted: rule deny/)
  expect((await world.ok<{ items: unknown[] }>('GET', '/api/triggers')).items).toEqual([])
})

test('a rule that denies the host later keeps an agent’s webhook from being called', async () => {
  const clock = createClock()
  const allow = ['schedule', 'schedule(webhook:*)']
  const world = await createWorld({ clock, files: cast('ann'), settings: { permissions: { allow } } })
  const ann = await world.session({ agent: 'ann' })
  await calls(world, ann.id, hook)
  const [made] = (await world.ok<{ items: { id: string }[] }>('GET', '/api/triggers')).items
  await world.ok('POST', '/api/permissions', { decision: 'deny', rule: 'web_fetch(example.com)' })
  await passAndSettle(world, clock, 60_000)
  const [fire] = await firesOf(world, made!.id, 1)
  expect(fire).toMatchObject({ outcome: 'skipped', reason: expect.stringMatching(/rule deny "web_fetch/) })
  expect(fire!.delivery).toBeUndefined()
})

test('rules about files hold for memory too: read, searched, written and in the prompt', async () => {
  const deny = ['read_file(.troupe/memory/private/**)', 'write_file(.troupe/memory/agents/**)']
  const world = await createWorld({ files: cast('ann'), settings: { permissions: { deny } } })
  putMemory(world, 'private/plan.md', '# Plan\nThe canary sings.\n')
  putMemory(world, 'open.md', '# Open\nThe canary sleeps.\n')
  await trust(world)
  const ann = await world.session({ agent: 'ann' })
  const read = (path: string) => ({ name: 'memory_read', input: { path, scope: 'project' } })
  const told = await calls(
    world,
    ann.id,
    read('private/plan.md'),
    read('./private/plan.md'),
    read('open.md'),
    { name: 'memory_search', input: { query: 'canary', scope: 'project' } },
    note('Tea.'),
    note('Tea.', { scope: 'project', path: 'tea.md' }),
  )
  expect(told).toEqual([
    expect.stringMatching(/Not permitted: rule deny "read_file/),
    expect.stringMatching(/Not permitted: rule deny "read_file/),
    // What is refused is answered before anything runs.
    expect.stringMatching(/Not permitted: rule deny "write_file/),
    expect.stringMatching(/canary sleeps/),
    expect.stringMatching(/canary sleeps/),
    expect.stringMatching(/tea\.md has 5 bytes/),
  ])
  expect(JSON.stringify([told, world.vendor.requests])).not.toContain('sings')
  expect(JSON.stringify(world.vendor.requests[0])).toContain('sleeps')
  expect(() => memoryText(world, 'agents/ann/MEMORY.md')).toThrow()
})

test('a file of memory that a rule keeps away is not in the prompt where only the chief files are, either', async () => {
  const permissions = { deny: ['read_file(.troupe/memory/MEMORY.md)'] }
  const world = await createWorld({ files: cast('ann'), settings: { permissions, memory: { inlineBytes: 500 } } })
  putMemory(world, 'MEMORY.md', 'The canary sings.\n')
  putMemory(world, 'index.md', 'The canary sleeps.\n')
  putMemory(world, 'long.md', 'word '.repeat(1000))
  await trust(world)
  const ann = await world.session({ agent: 'ann' })
  await world.say(ann.id, 'Hello')
  expect(world.vendor.requests[0]!.system).toContain('sleeps')
  expect(JSON.stringify(world.vendor.requests)).not.toContain('sings')
})

test('a link among memory files is not followed: not into the prompt, not by a tool, not in a search', async () => {
  const world = await createWorld({ files: { ...cast('ann'), 'secret.txt': 'canary sings\n' } })
  putMemory(world, 'open.md', 'Open.\n')
  const memory = join(world.project, '.troupe', 'memory')
  symlinkSync(join(world.project, 'secret.txt'), join(memory, 'MEMORY.md'))
  const outside = join(world.home, '..', 'elsewhere')
  mkdirSync(outside)
  writeFileSync(join(outside, 'MEMORY.md'), 'canary sings\n')
  mkdirSync(join(memory, 'agents'))
  symlinkSync(outside, join(memory, 'agents', 'ann'))
  await trust(world)
  const ann = await world.session({ agent: 'ann' })
  const read = (scope: string) => ({ name: 'memory_read', input: { scope } })
  const search = { name: 'memory_search', input: { query: 'canary' } }
  await calls(world, ann.id, read('project'), read('agent'), search, note('Tea.'))
  expect(JSON.stringify([await world.messages(ann.id), world.vendor.requests])).not.toContain('sings')
})
