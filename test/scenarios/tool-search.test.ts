import { describe, expect, test } from 'vitest'
import type { Tool, ToolSource, ToolsFound } from '../../src/core/base/index.ts'
import { cast } from '../kit/cast.ts'
import { storesInTurn } from '../kit/database.ts'
import { notices } from '../kit/records.ts'
import type { SeenRequest } from '../kit/vendor/reply.ts'
import { createWorld, type World } from '../kit/world.ts'

/** Tools of a server, which takes a number and gives it back. */
const made = (name: string, more: Partial<Tool> = {}): Tool => ({
  name,
  description: `Does ${name.replaceAll('_', ' ')} at the shop. It is quick.`,
  input: {
    jsonSchema: {
      type: 'object',
      properties: { count: { type: 'integer', minimum: 1 } },
      required: ['count'],
      additionalProperties: false,
    },
  },
  capabilities: [],
  parallel: true,
  idempotent: true,
  maxOutputChars: 1000,
  origin: { source: 'mcp', place: 'shop', group: 'shop' },
  run: async (input) => ({ output: `${name} ${JSON.stringify(input)}` }),
  ...more,
})

/** A source whose tools can be changed. */
function shelf(...names: string[]): ToolSource & { put(...tools: Tool[]): void } {
  let found: ToolsFound = { tools: names.map((name) => made(name)), problems: [] }
  return {
    toolsFor: () => found,
    put: (...tools) => {
      found = { tools, problems: [] }
    },
  }
}

const many = (count: number): Tool[] => Array.from({ length: count }, (_, at) => made(`order_part_${at}`))

const toolsIn = ({ body }: SeenRequest): string[] =>
  ((body.tools ?? []) as { function: { name: string } }[]).map((tool) => tool.function.name)

const search = (query: string) => ({ calls: [{ name: 'tool_search', input: { query } }] })

const promptOf = async (world: World, session: string) =>
  (await world.ok<{ text: string; tokens: number }>('GET', `/api/sessions/${session}/prompt`)).text

describe.each(storesInTurn(import.meta.filename))('tools that are known but not loaded on %s', (store) => {
  test('are found by name, are in the next request, and stay for the session, also after a restart', async () => {
    const world = await createWorld({ store })
    world.vendor.queue({}, search('sleep'), { text: 'Found it.' }, { text: 'Again.' })
    const session = await world.session()
    await world.say(session.id, 'Find a way to wait')
    const [first, second] = world.vendor.requests
    expect(toolsIn(first!)).toContain('tool_search')
    expect(toolsIn(first!)).not.toContain('sleep')
    expect(await promptOf(world, session.id)).toMatch(/<tools>\nKnown but not loaded[\s\S]*\bsleep, log_write,/)
    expect(toolsIn(second!)).toEqual([...toolsIn(first!), 'sleep'])
    expect(await world.events(session.id)).toContainEqual(
      expect.objectContaining({ type: 'tool.loaded', data: { names: ['sleep'] } }),
    )
    await world.restart()
    await world.say(session.id, 'More')
    const third = world.vendor.requests.at(-1)!
    expect(toolsIn(third)).toEqual(toolsIn(second!))
    expect(third.system).toBe(first!.system)
    const { items } = await world.ok<{ items: { name: string; tier: string }[] }>(
      'GET',
      `/api/sessions/${session.id}/tools`,
    )
    const tier = Object.fromEntries(items.map((item) => [item.name, item.tier]))
    expect(tier).toMatchObject({ sleep: 'active', log_write: 'listed', bash: 'loaded' })
    expect(await notices(world, session.id)).toEqual([])
  })

  test('what a search loaded is written with its result: both or none', async () => {
    const world = await createWorld({ store, toolSources: [shelf(...many(30).map(({ name }) => name))] })
    const session = await world.session()
    world.vendor.queue({}, search('order_part_7, order_part_9'), { text: 'Yes.' })
    await world.say(session.id, 'Order')
    expect(await world.results(session.id)).toEqual([
      expect.objectContaining({ loaded: [expect.objectContaining({ name: 'order_part_7' }), expect.anything()] }),
    ])
    expect(toolsIn(world.vendor.requests[1]!).slice(-2)).toEqual(['order_part_7', 'order_part_9'])
    const fork = await world.ok<{ id: string }>('POST', `/api/sessions/${session.id}/fork`, {})
    await world.say(fork.id, 'And here')
    expect(toolsIn(world.vendor.requests.at(-1)!)).toContain('order_part_9')
  })

  test('come and go during a session by a message, and the prompt stays as it was', async () => {
    const shop = shelf('buy_shoes')
    const world = await createWorld({ store, toolSources: [shop] })
    const session = await world.session()
    await world.say(session.id, 'One')
    expect(toolsIn(world.vendor.requests[0]!)).toContain('buy_shoes')
    shop.put(made('sell_shoes'))
    await world.say(session.id, 'Two')
    await world.say(session.id, 'Three')
    const [one, two] = world.vendor.requests
    expect(toolsIn(two!)).toContain('sell_shoes')
    expect(toolsIn(two!)).not.toContain('buy_shoes')
    expect(two!.system).toBe(one!.system)
    expect(await notices(world, session.id)).toEqual([expect.stringMatching(/<tools>[\s\S]*sell_shoes/)])
  })
})

test.for([
  ['throws', () => thrown()],
  ['rejects', () => Promise.reject(new Error('The shop is closed.'))],
] as const)('a source of tools that %s costs its own tools, not the turn', async ([, toolsFor]) => {
  const world = await createWorld({ toolSources: [{ toolsFor }, shelf('buy_shoes')] })
  const { id } = await world.session()
  expect(await world.say(id, 'Hello')).toMatchObject({ end: 'done' })
  expect(toolsIn(world.vendor.requests[0]!)).toContain('buy_shoes')
  const { items } = await world.ok<{ items: { message: string }[] }>('GET', '/api/tools/problems')
  expect(items.map(({ message }) => message)).toEqual([expect.stringContaining('The shop is closed.')])
})

const thrown = (): never => {
  throw new Error('The shop is closed.')
}

test('a tool out of scope is neither listed nor found, and is refused when it is called', async () => {
  const files = cast({ ann: { tools: { deny: ['order_*', 'sleep'] } } })
  const world = await createWorld({ files, toolSources: [shelf('order_shoes', 'buy_shoes', 'buy_hats', 'buy_ties')] })
  const session = await world.session({ agent: 'ann' })
  const call = { name: 'order_shoes', input: { count: 1 } }
  world.vendor.queue({}, search('sleep order_shoes'), { calls: [call] }, { text: 'No.' })
  await world.say(session.id, 'Order')
  expect(await promptOf(world, session.id)).not.toMatch(/order_shoes|sleep/)
  expect(await world.results(session.id)).toEqual([
    expect.stringMatching(/^None of the \d+ tools/),
    expect.stringContaining('There is no tool "order_shoes" here.'),
  ])
})

test('five hundred tools are listed by their server, within bounds, and found by words', async () => {
  const shop = shelf()
  shop.put(...many(499), made('cancel_invoice', { description: 'Takes an invoice back.' }))
  const world = await createWorld({ toolSources: [shop] })
  const session = await world.session()
  world.vendor.queue({}, search('take back an invoice'), { text: 'Yes.' })
  await world.say(session.id, 'Go')
  const [first, second] = world.vendor.requests
  const listed = /<tools>[\s\S]*<\/tools>/.exec(first!.system)?.[0] ?? ''
  expect(listed).toContain('- shop (500 tools): order_part_0')
  expect(listed.length).toBeLessThan(3600)
  expect(toolsIn(first!)).not.toContain('cancel_invoice')
  expect(toolsIn(second!)).toContain('cancel_invoice')
})

test('an agent says how its tools are shown', async () => {
  const files = cast({ all: { toolExposure: 'tools' }, few: { toolExposure: 'skills' }, some: {} })
  const world = await createWorld({ files, toolSources: [shelf(...many(30).map(({ name }) => name))] })
  const shown: Record<string, string[]> = {}
  for (const agent of ['all', 'few', 'some']) {
    const session = await world.session({ agent })
    await world.say(session.id, 'Hi')
    shown[agent] = toolsIn(world.vendor.requests.at(-1)!)
  }
  expect(shown.all).toEqual(expect.arrayContaining(['bash', 'sleep', 'order_part_29']))
  expect(shown.all).not.toContain('tool_search')
  expect(shown.few).toEqual(['tool_search'])
  expect(shown.some).toContain('bash')
  expect(shown.some).not.toContain('order_part_1')
})

test('an input is checked by its JSON Schema, and the answer names the field', async () => {
  const world = await createWorld({ toolSources: [shelf('buy_shoes')] })
  const session = await world.session()
  const call = (input: unknown) => ({ calls: [{ name: 'buy_shoes', input }] })
  world.vendor.queue({}, call({ count: 'two' }), call({ count: 1, colour: 'red' }), call({ count: 2 }), {
    text: 'Done.',
  })
  await world.say(session.id, 'Buy')
  const [text, field, bought] = await world.results(session.id)
  expect(text).toMatch(/The input does not fit buy_shoes; it was not run\.\n✖ count: .*integer/)
  expect(field).toContain('colour: is not a field that it takes')
  expect(bought).toBe('buy_shoes {"count":2}')
})

test('the first tool of a name is it: a later one cannot take its place and is reported', async () => {
  const world = await createWorld({
    toolSources: [shelf('buy_shoes'), shelf('bash', 'buy_shoes', 'bad name'), { toolsFor: async () => broken() }],
  })
  const { items } = await world.ok<{ items: { name: string; source: string }[] }>('GET', '/api/tools')
  expect(items.filter(({ name }) => name === 'bash')).toEqual([expect.objectContaining({ source: 'built-in' })])
  const problems = await world.ok<{ items: { message: string }[] }>('GET', '/api/tools/problems')
  expect(problems.items.map(({ message }) => message)).toEqual([
    'could not be read: Error: The shop is closed.',
    'bash is not used: a built-in tool has that name',
    'buy_shoes is not used: a tool of shop has that name',
    'is no name for a tool: "bad name"',
  ])
  const session = await world.session()
  expect(await world.say(session.id, 'Hi')).toMatchObject({ end: 'done' })
})

function broken(): never {
  throw new Error('The shop is closed.')
}
