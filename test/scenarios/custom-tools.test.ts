import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { anything, customTool } from '../kit/custom-tools.ts'
import { putFile } from '../kit/files.ts'
import { notices } from '../kit/records.ts'
import { createWorld, type World } from '../kit/world.ts'

const call = (name: string, input: unknown = {}) => ({ calls: [{ name, input }] })

/** Has the assistant make these calls, one after the other, and gives their results. */
async function results(world: World, ...calls: [name: string, input?: unknown][]): Promise<unknown[]> {
  const session = await world.session()
  world.vendor.queue({}, ...calls.map(([name, input]) => call(name, input)), { text: 'Done.' })
  await world.say(session.id, 'Go')
  return world.results(session.id)
}

const trust = (world: World) => world.ok('POST', '/api/trust', { trusted: true })

test('a folder with tool.json and a function is a tool, in JavaScript or TypeScript, however it exports the function', async () => {
  const files = {
    ...customTool('esm', 'export default async ({ n }) => ({ twice: 2 * n })', { definition: anything }),
    ...customTool('common', 'module.exports = (input, context) => Object.keys(context).sort().join()'),
    ...customTool('typed', 'export default (input: { n: number }): string => "n is " + input.n', {
      file: 'index.ts',
      definition: { input_schema: { type: 'object', properties: { n: { type: 'integer' } } }, timeout: 20 },
    }),
    ...customTool('packaged', "import say from 'says'\nexport default () => say", {}),
    '../home/tools/packaged/node_modules/says/package.json': '{"name":"says","type":"module","exports":"./says.js"}',
    '../home/tools/packaged/node_modules/says/says.js': 'export default "from its own package"',
  }
  const world = await createWorld({ files })
  expect(await results(world, ['esm', { n: 21 }], ['common'], ['typed', { n: 3 }], ['packaged'])).toEqual([
    { twice: 42 },
    'agent,agentFolder,callId,project,sessionId,workspace',
    'n is 3',
    'from its own package',
  ])
  const { items } = await world.ok<{ items: object[] }>('GET', '/api/tools')
  expect(items).toContainEqual(expect.objectContaining({ name: 'esm', source: 'global', tier: 'loaded' }))
})

test('the module form is found below a package.json that says otherwise, and tools of agent, project and person stand in order', async () => {
  const agent = '../home/agents/ann'
  const files = {
    'package.json': '{"type":"module"}',
    ...customTool('where', 'module.exports = () => "project"', { at: '.troupe/tools' }),
    ...customTool('where', 'export default () => "person"'),
    ...customTool('who', 'export default () => "person"'),
    ...customTool('who', 'export default (_, { agent }) => agent', { at: `${agent}/tools` }),
    [`${agent}/agent.json`]: '{}',
  }
  const world = await createWorld({ files })
  await trust(world)
  const session = await world.session({ agent: 'ann' })
  world.vendor.queue({}, call('where'), call('who'), { text: 'Done.' })
  await world.say(session.id, 'Go')
  expect(await world.results(session.id)).toEqual(['project', 'ann'])
  const { items } = await world.ok<{ items: { message: string }[] }>('GET', '/api/tools/problems?agent=ann')
  expect(items.map(({ message }) => message)).toEqual([
    expect.stringMatching(/^where is not used: a tool of .*\.troupe\/tools\/where has that name$/),
    expect.stringMatching(/^who is not used: a tool of .*agents\/ann\/tools\/who has that name$/),
  ])
})

test('a throw is an error with a hint, and a tool that ends its process costs one call', async () => {
  const files = {
    ...customTool('fails', 'export default () => { throw new Error("no such part") }'),
    ...customTool('leaves', 'export default () => process.exit(3)'),
    ...customTool('broken', 'export default ('),
    ...customTool('empty', 'export const other = 1'),
    ...customTool('round', 'export default () => { const a = {}; a.a = a; return a }'),
    ...customTool('fine', 'export default () => "fine"'),
  }
  const world = await createWorld({ files })
  const told = await results(world, ['fails'], ['leaves'], ['broken'], ['empty'], ['round'], ['fine'])
  expect(told).toEqual([
    expect.stringMatching(/^The tool fails failed: no such part\. Correct the input or go another way/),
    expect.stringContaining('ended without an answer (exit code 3)'),
    expect.stringMatching(/^The tool broken cannot be loaded: .*\. Only its author can repair it/s),
    expect.stringContaining('neither a function as default export'),
    expect.stringContaining('its result is not JSON'),
    'fine',
  ])
})

test('a tool may return nothing', async () => {
  const files = {
    ...customTool('silent', 'export default () => {}'),
    ...customTool('nil', 'export default async () => null'),
    ...customTool('mute', 'export default () => { JSON.stringify = () => "null" }'),
  }
  const world = await createWorld({ files })
  const nothing = '[no output]'
  expect(await results(world, ['silent'], ['nil'], ['mute'])).toEqual([nothing, nothing, nothing])
})

test('a process is kept for the next call, and a change of the tool counts at the next turn', async () => {
  const code = (word: string) => `let calls = 0\nexport default () => \`${word} \${++calls}\``
  const world = await createWorld({ files: customTool('counts', code('one')) })
  const session = await world.session()
  const turn = async () => {
    world.vendor.queue({}, call('counts'), call('counts'), { text: 'Done.' })
    await world.say(session.id, 'Go')
    return (await world.results(session.id)).slice(-2)
  }
  expect(await turn()).toEqual(['one 1', 'one 2'])
  putFile(join(world.home, 'tools/counts/index.js'), code('two'))
  expect(await turn()).toEqual(['two 1', 'two 2'])
  // The schema is the same, so the model need not be told anything.
  expect(await notices(world, session.id)).toEqual([])
})

test('a broken definition is listed with file, field and reason, and the other tools go on', async () => {
  const files = {
    ...customTool('fine', 'export default () => "fine"'),
    ...customTool('typo', '', { definition: { timeoutSecs: 3 } }),
    ...customTool('other', '', { definition: { name: 'another' } }),
    '../home/tools/bare/tool.json': '{"description":"x"}',
    '../home/tools/none/readme.md': 'x',
    ...customTool('odd', 'export default () => 1', { definition: { inputSchema: { type: 'string' } } }),
    ...customTool('nest', 'export default () => 1', {
      definition: { inputSchema: { type: 'object', $defs: JSON.parse(`${'{"a":'.repeat(40)}1${'}'.repeat(40)}`) } },
    }),
  }
  const world = await createWorld({ files })
  const { items } = await world.ok<{ items: { file: string; field?: string; message: string }[] }>(
    'GET',
    '/api/tools/problems',
  )
  const said = items.map(({ file, field, message }) => `${file.split('/tools/')[1]} ${field}: ${message}`)
  expect(said.sort()).toEqual([
    expect.stringContaining('bare/tool.json undefined: has no index.js or index.ts beside it'),
    expect.stringMatching(/^nest inputSchema: of nest is nested more than/),
    expect.stringContaining('none/tool.json undefined: is missing'),
    expect.stringMatching(/^odd inputSchema: of odd must have "type": "object"/),
    expect.stringContaining('other/tool.json name: is "another", but the folder is called "other"'),
    expect.stringContaining('typo/tool.json timeoutSecs: is not a known key'),
  ])
  expect(await results(world, ['fine'])).toEqual(['fine'])
})

test('a tool that says nothing of what it needs counts as a command, which a person is asked about', async () => {
  const files = {
    ...customTool('silent', 'export default () => "ran"', { definition: { capabilities: undefined } }),
    ...customTool('fetches', 'export default () => "ran"', { definition: { capabilities: ['net'] } }),
  }
  const world = await createWorld({ files })
  const session = await world.session()
  world.vendor.queue({}, call('silent'), call('fetches'), { text: 'Done.' })
  await world.send(session.id, 'Go')
  for (const name of ['silent', 'fetches']) {
    const item = await world.eventually(async () => (await world.inbox()).find(({ title }) => title.includes(name)))
    await world.ok('POST', `/api/inbox/${item.id}/answer`, { decision: 'once' })
  }
  await world.reaches(session.id, 'idle')
  expect(await world.results(session.id)).toEqual(['ran', 'ran'])
})

test('what changed between the turn and the call is not run', async () => {
  const world = await createWorld({ files: customTool('late', 'export default () => "as it was"') })
  const session = await world.session()
  const file = join(world.home, 'tools/late/index.js')
  world.vendor.script(({ messages }) => {
    if (messages.at(-1)?.role !== 'user') return { text: 'Done.' }
    writeFileSync(file, 'export default () => "as it is"')
    return call('late')
  })
  await world.say(session.id, 'Go')
  expect(await world.results(session.id)).toEqual([expect.stringContaining('has changed since it was read')])
})

test('a tool gets the variables it declares and its session, and nothing else of the server', async () => {
  const world = await createWorld({
    env: { SHOP_KEY: 'sesame-open-now', OTHER_KEY: 'not-for-you-at-all' },
    files: customTool('env', 'export default () => process.env', { definition: { env: ['SHOP_KEY', 'TROUPE_TOKEN'] } }),
  })
  const out = join(world.project, 'env.json')
  putFile(
    join(world.home, 'tools/env/index.js'),
    `import { writeFileSync } from 'node:fs'\nexport default () => writeFileSync('env.json', JSON.stringify(process.env))`,
  )
  await results(world, ['env'])
  expect(existsSync(out)).toBe(true)
  const env = JSON.parse(readFileSync(out, 'utf8'))
  expect(env).toMatchObject({ SHOP_KEY: 'sesame-open-now', TROUPE_AGENT_NAME: 'assistant' })
  expect(env.TROUPE_TOKEN).not.toBe(world.server.token)
  expect(Object.keys(env)).not.toContain('OTHER_KEY')
  const known =
    /^(PATH|HOME|USER|SHELL|LANG|TERM|TMPDIR|TZ|PWD|OLDPWD|SHLVL|_|LC_.*|GIT_CONFIG.*|(GIT_|GIT_SEQUENCE_)?EDITOR|VISUAL|(GIT_)?PAGER|MANPAGER|TROUPE_.*|SHOP_KEY|NODE_USE_ENV_PROXY)$/
  expect(Object.keys(env).filter((name) => !known.test(name))).toEqual([])
})
