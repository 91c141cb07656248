import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Folders, makeFolders } from '../../../../test/kit/folders.ts'
import type { Agent, AgentFile } from '../../../contract/agents.ts'
import { setTrust } from '../trust/trust.ts'
import { agentFor, deleteAgent, findAgent, listAgents, putAgent } from './find.ts'

const builtIn = ['assistant', 'coder', 'coordinator', 'researcher', 'writer']
const find = ({ core, project }: Folders, name: string) => findAgent(core, project, name)
const list = ({ core, project }: Folders) => listAgents(core, project)

async function problemsOf(folders: Folders, name: string): Promise<{ broken: boolean; problems: Agent['problems'] }> {
  const agent = (await list(folders)).find((each) => each.name === name)
  return { broken: agent?.broken ?? false, problems: agent?.problems ?? [] }
}

test('the built-in agents are whole, and each has what its role needs', async () => {
  const agents = await list(makeFolders())
  expect(agents.map(({ name }) => name)).toEqual(builtIn)
  for (const agent of agents) {
    expect(agent).toMatchObject({ source: 'built-in', broken: false, problems: [] })
    expect(agent.description).not.toBe('')
    expect(agent.prose.agent.length).toBeGreaterThan(200)
  }
  const denied = Object.fromEntries(agents.map(({ name, definition }) => [name, definition.capabilities?.deny ?? []]))
  expect(denied).toEqual({
    assistant: [],
    coder: [],
    coordinator: ['shell', 'files.write'],
    researcher: ['shell', 'files.write'],
    writer: ['shell'],
  })
  expect(agents.find(({ name }) => name === 'coordinator')?.definition.delegate).toEqual({ allow: ['*'] })
})

test('a project agent counts before a global one, and that before a built-in one', async () => {
  const folders = makeFolders()
  folders.putHome('agents/coder/agent.json', { description: 'global' })
  folders.putHome('agents/poet/agent.json', { description: 'global' })
  expect(await find(folders, 'coder')).toMatchObject({ source: 'global', description: 'global' })
  folders.put('.troupe/agents/coder.md', '---\ndescription: project\n---\nHello')
  expect(await find(folders, 'coder')).toMatchObject({ source: 'project', description: 'project' })
  expect((await list(folders)).map(({ name }) => name)).toEqual([...builtIn, 'poet'].sort())
})

test('a folder gives fields and prose, comments allowed', async () => {
  const folders = makeFolders()
  folders.put(
    '.troupe/agents/home-cook/agent.json',
    '{ // mine\n "model": "demo/demo", "limits": { "maxIterations": 5 }, }',
  )
  folders.put('.troupe/agents/home-cook/AGENT.md', 'You cook.')
  folders.put('.troupe/agents/home-cook/SOUL.md', 'Warm.')
  folders.put('.troupe/agents/home-cook/GOAL.md', 'Dinner.')
  expect(await find(folders, 'home-cook')).toMatchObject({
    displayName: 'Home Cook',
    definition: { model: 'demo/demo', limits: { maxIterations: 5 } },
    prose: { agent: 'You cook.', soul: 'Warm.', goal: 'Dinner.' },
    folder: join(folders.project.path, '.troupe/agents/home-cook'),
  })
})

test('one Markdown file with front matter is the same thing', async () => {
  const folders = makeFolders()
  folders.put(
    '.troupe/agents/poet.md',
    '---\r\nname: poet\r\ndescription: "Rhymes: well"\r\ntools:\r\n  deny: [bash]\r\n---\r\nYou are a poet.\n---\nnot the end',
  )
  expect(await find(folders, 'poet')).toMatchObject({
    definition: { description: 'Rhymes: well', tools: { deny: ['bash'] } },
    prose: { agent: 'You are a poet.\n---\nnot the end' },
  })
  folders.put('.troupe/agents/plain.md', 'Just words.')
  expect((await find(folders, 'plain')).prose.agent).toBe('Just words.')
  folders.put('.troupe/agents/bare.md', '---\n---\nBody')
  expect((await find(folders, 'bare')).prose.agent).toBe('Body')
})

test.each([
  ['JSON that is not JSON', 'agent.json', '{ "model": ', undefined, /line 1, column 12/],
  ['a field that does not exist', 'agent.json', '{"modle":"a/b"}', 'modle', /not a known key/],
  ['a value of the wrong kind', 'agent.json', '{"limits":{"maxIterations":"lots"}}', 'limits.maxIterations', /number/],
  ['a model without a provider', 'agent.json', '{"model":"gpt"}', 'model', /provider\/model/],
  ['a workspace that is none', 'agent.json', '{"workspace":"moon"}', 'workspace', /must be "project"/],
  ['a mode that does not exist', 'agent.json', '{"modes":{"party":{}}}', 'modes.party', /not a known key/],
  [
    'another name than its folder',
    'agent.json',
    '{"name":"other"}',
    'name',
    /"other", but the folder is called "sick"/,
  ],
  ['fields that are a list', 'agent.json', '[]', undefined, /object/],
  ['prose that is too long', 'AGENT.md', 'x'.repeat(300_000), undefined, /256 KB/],
])(
  '%s is reported with file, field and reason, and nothing else is disturbed',
  async (_, part, text, field, message) => {
    const folders = makeFolders()
    const file = folders.put(`.troupe/agents/sick/${part}`, text)
    folders.put('.troupe/agents/well/agent.json', {})
    const { broken, problems } = await problemsOf(folders, 'sick')
    expect(broken).toBe(true)
    expect(problems).toContainEqual({ file, ...(field && { field }), message: expect.stringMatching(message) })
    await expect(find(folders, 'sick')).rejects.toMatchObject({
      code: 'agent.broken',
      message: expect.stringContaining(file),
    })
    expect((await list(folders)).filter((agent) => !agent.broken).map(({ name }) => name)).toEqual(
      [...builtIn, 'well'].sort(),
    )
  },
)

test.each([
  ['YAML that is not YAML', '---\ndescription: "open\n---\n', /line 2|line 3|quote/i],
  ['front matter that never ends', '---\ndescription: x\n', /closing/],
  ['an unknown field', '---\ncolour: red\n---\n', /not a known key/],
])('a single file with %s is broken', async (_, text, message) => {
  const folders = makeFolders()
  const file = folders.put('.troupe/agents/sick.md', text)
  const { broken, problems } = await problemsOf(folders, 'sick')
  expect(broken).toBe(true)
  expect(problems).toContainEqual(expect.objectContaining({ file, message: expect.stringMatching(message) }))
})

test('a broken project agent does not fall back to a built-in of the same name', async () => {
  const folders = makeFolders()
  folders.put('.troupe/agents/coder/agent.json', '{')
  await expect(find(folders, 'coder')).rejects.toMatchObject({ code: 'agent.broken' })
  folders.put('.troupe/agents/coder/agent.json', '{}')
  expect((await find(folders, 'coder')).source).toBe('project')
})

test.each(['human', 'cafe', 'dead-beef', 'Coder2', 'two words'])('an agent may not be called "%s"', async (name) => {
  const folders = makeFolders()
  folders.put(`.troupe/agents/${name}/agent.json`, {})
  const { broken, problems } = await problemsOf(folders, name)
  expect(broken).toBe(true)
  expect(problems[0]?.field).toBe('name')
})

test('an agent that is not there is refused with the names that are, and a name is never a path', async () => {
  const folders = makeFolders()
  folders.put('.troupe/secret/agent.json', {})
  for (const name of ['nobody', '../secret', '..', '', 'a/b', 'a\0b', 'x'.repeat(500)])
    await expect(find(folders, name)).rejects.toMatchObject({
      code: 'agent.not_found',
      hint: expect.stringContaining('researcher'),
    })
})

test('changes on disk are seen at the next call, and the hash follows every file', async () => {
  const folders = makeFolders()
  const hashes = new Set<string>()
  for (const [path, content] of [
    ['agent.json', {}],
    ['agent.json', { description: 'x' }],
    ['AGENT.md', 'a'],
    ['SOUL.md', 'a'],
    ['GOAL.md', 'a'],
    ['GOAL.md', 'b'],
  ] as const) {
    folders.put(`.troupe/agents/poet/${path}`, content)
    const agent = await find(folders, 'poet')
    expect(await find(folders, 'poet')).toBe(agent)
    hashes.add(agent.hash)
  }
  expect(hashes.size).toBe(6)
  rmSync(join(folders.project.path, '.troupe/agents/poet'), { recursive: true })
  await expect(find(folders, 'poet')).rejects.toMatchObject({ code: 'agent.not_found' })
})

test('a project cannot show us files from elsewhere by a link', async () => {
  const folders = makeFolders()
  const secret = folders.putHome('secret.md', 'SECRET')
  folders.put('.troupe/agents/spy/agent.json', {})
  symlinkSync(secret, join(folders.project.path, '.troupe/agents/spy/AGENT.md'))
  symlinkSync(secret, join(folders.project.path, '.troupe/agents/mole.md'))
  mkdirSync(join(folders.core.home, 'other/agents/far'), { recursive: true })
  folders.putHome('other/agents/far/AGENT.md', 'SECRET')
  symlinkSync(join(folders.core.home, 'other/agents/far'), join(folders.project.path, '.troupe/agents/far'))
  expect(JSON.stringify(await list(folders))).not.toMatch('SECRET')
  expect((await list(folders)).filter((agent) => agent.broken).map(({ name }) => name)).toEqual(['far', 'mole', 'spy'])
})

test('before trust an agent keeps its words and what narrows it, and loses what acts', async () => {
  const folders = makeFolders()
  const acting: AgentFile = {
    permissions: { allow: ['*'], ask: ['web_fetch'], deny: ['bash'] },
    delegate: { allow: ['*'] },
    hooks: { sessionStart: [{ command: 'x' }] },
    mcpServers: { evil: { command: 'x' } },
    runtime: { kind: 'cli', preset: 'x' },
    workspace: { path: '/' },
    limits: { maxIterations: 1000, maxDurationSeconds: 5 },
  }
  const words: AgentFile = {
    description: 'd',
    model: 'demo/demo',
    tools: { deny: ['glob'] },
    capabilities: { deny: ['net'] },
  }
  folders.put('.troupe/agents/bold/agent.json', { ...words, ...acting, modes: { task: acting } })
  folders.put('.troupe/agents/near/agent.json', { workspace: { path: 'packages' } })
  const narrowed = { permissions: { ask: ['web_fetch'], deny: ['bash'] }, limits: { maxDurationSeconds: 5 } }

  const before = await find(folders, 'bold')
  expect(before.definition).toEqual({ ...words, ...narrowed, modes: { task: narrowed } })
  expect(before.problems.map(({ field }) => field)).toEqual(
    expect.arrayContaining(['permissions.allow', 'hooks', 'mcpServers', 'modes.task.delegate', 'workspace', 'limits']),
  )
  expect((await find(folders, 'near')).definition).toEqual({ workspace: { path: 'packages' } })

  await setTrust(folders.core, folders.project, { trusted: true })
  const after = await find(folders, 'bold')
  expect(after.definition).toEqual({ ...words, ...acting, modes: { task: acting } })
  // Trusted, but there is nothing yet that would read them.
  expect(after.problems.map(({ field }) => field)).toEqual(['', 'modes.task.'].map((mode) => `${mode}runtime`))
  expect(after.hash).not.toBe(before.hash)
})

test("the person's own agents need no trust", async () => {
  const folders = makeFolders()
  folders.putHome('agents/mine/agent.json', { permissions: { allow: ['bash'] } })
  expect((await find(folders, 'mine')).definition).toEqual({ permissions: { allow: ['bash'] } })
})

test('a mode overrides field by field, rules add up, and a sub-agent falls back to chat', async () => {
  const folders = makeFolders()
  folders.putHome('agents/poet/agent.json', {
    model: 'a/b',
    tools: { allow: ['read_file'], deny: ['bash'] },
    permissions: { deny: ['x'] },
    modes: {
      chat: { model: 'a/c', tools: { allow: ['*'] }, permissions: { deny: ['y'], ask: ['z'] } },
      daemon: { enabled: false },
      task: { enabled: true, limits: { maxIterations: 3 } },
    },
  })
  const poet = await find(folders, 'poet')
  const chat = { model: 'a/c', tools: { allow: ['*'], deny: ['bash'] }, permissions: { deny: ['x', 'y'], ask: ['z'] } }
  expect(agentFor(poet, 'chat')).toEqual(chat)
  expect(agentFor(poet, 'subagent')).toEqual(chat)
  expect(agentFor(poet, 'task')).toEqual({
    model: 'a/b',
    tools: { allow: ['read_file'], deny: ['bash'] },
    permissions: { deny: ['x'] },
    limits: { maxIterations: 3 },
  })
  expect(() => agentFor(poet, 'daemon')).toThrow(
    expect.objectContaining({ code: 'agent.mode_off', hint: 'It works in: chat, task, subagent.' }),
  )
  expect(agentFor(await find(folders, 'coder'), 'daemon')).not.toHaveProperty('modes')
})

test('an agent is written, changed with its comments kept, and found again', async () => {
  const folders = makeFolders()
  const { core, project } = folders
  const made = await putAgent(core, project, 'poet', {
    definition: { description: 'one' },
    prose: { agent: 'You rhyme.', goal: 'Odes.' },
  })
  expect(made).toMatchObject({ source: 'project', description: 'one', prose: { agent: 'You rhyme.', goal: 'Odes.' } })

  const file = folders.put(
    '.troupe/agents/poet/agent.json',
    '{\n  // cheap\n  "model": "a/b",\n  "description": "one"\n}\n',
  )
  await putAgent(core, project, 'poet', { definition: { model: 'a/b', description: 'two' }, prose: { goal: '' } })
  expect(readFileSync(file, 'utf8')).toBe('{\n  // cheap\n  "model": "a/b",\n  "description": "two"\n}\n')
  expect(await find(folders, 'poet')).toMatchObject({ description: 'two', prose: { agent: 'You rhyme.', goal: '' } })
})

test('a built-in agent is changed by a copy in the project, a global one where it is, a single file as a single file', async () => {
  const folders = makeFolders()
  const { core, project } = folders
  expect(await putAgent(core, project, 'coder', { definition: {} })).toMatchObject({ source: 'project' })
  folders.putHome('agents/mine/agent.json', {})
  expect(await putAgent(core, project, 'mine', { definition: { icon: 'x' } })).toMatchObject({
    source: 'global',
    definition: { icon: 'x' },
  })
  const file = folders.put('.troupe/agents/poet.md', '---\ndescription: old\n---\nYou rhyme.')
  await putAgent(core, project, 'poet', { definition: { description: 'new' } })
  expect(readFileSync(file, 'utf8')).toBe('---\ndescription: new\n---\nYou rhyme.')
  await expect(putAgent(core, project, 'poet', { definition: {}, prose: { soul: 'x' } })).rejects.toMatchObject({
    code: 'request.invalid',
  })
})

test('a wrong definition or name writes nothing and is named', async () => {
  const { core, project } = makeFolders()
  const refused = (name: string, definition: Record<string, unknown>, message: RegExp) =>
    expect(putAgent(core, project, name, { definition })).rejects.toMatchObject({
      code: 'request.invalid',
      message: expect.stringMatching(message),
    })
  await refused('poet', { model: 'x' }, /model/)
  await refused('poet', { nonsense: 1 }, /nonsense/)
  await refused('poet', { name: 'other' }, /other/)
  await refused('../poet', {}, /lowercase/)
  await refused('human', {}, /reserved/)
  expect(existsSync(join(project.path, '.troupe/agents'))).toBe(false)
})

test('deleting takes the definition, leaves what else is in its folder, and spares the built-in ones', async () => {
  const folders = makeFolders()
  const { core, project } = folders
  folders.put('.troupe/agents/coder/agent.json', {})
  folders.put('.troupe/agents/coder/AGENT.md', 'x')
  await deleteAgent(core, project, 'coder')
  expect(existsSync(join(project.path, '.troupe/agents/coder'))).toBe(false)
  await expect(deleteAgent(core, project, 'coder')).rejects.toMatchObject({ code: 'agent.read_only' })
  expect((await find(folders, 'coder')).source).toBe('built-in')

  const tool = folders.put('.troupe/agents/poet/tools/rhyme/index.js', 'x')
  folders.put('.troupe/agents/poet/agent.json', {})
  await deleteAgent(core, project, 'poet')
  expect(existsSync(tool)).toBe(true)
  await expect(deleteAgent(core, project, 'poet')).rejects.toMatchObject({ code: 'agent.not_found' })
})
