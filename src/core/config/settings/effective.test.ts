import { mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Folders, makeFolders } from '../../../../test/kit/folders.ts'
import { setTrust } from '../trust/trust.ts'
import { effectiveSettings, patchSettings, settingsWithSources } from './effective.ts'

const trust = ({ core, project }: Folders) => setTrust(core, project, { trusted: true })
const settingsOf = async ({ core, project }: Folders) => (await effectiveSettings(core, project)).settings
const problemsOf = async ({ core, project }: Folders) => (await effectiveSettings(core, project)).problems

test('without any file the defaults count', async () => {
  const { core, project } = makeFolders()
  const { settings, problems, trusted } = await effectiveSettings(core, project)
  expect(settings).toMatchObject({
    limits: { maxIterations: 50 },
    server: { host: '127.0.0.1', port: 4747 },
    titles: 'first-line',
  })
  expect(settings.permissions).toEqual({ unattended: 'wait' })
  expect(problems).toEqual([])
  expect(trusted).toBe(false)
})

test('flags win over the environment, it over the local file, it over the project, it over home, it over the default', async () => {
  const flags: Record<string, unknown> = { 'server.port': 1, defaultModel: 'flag/m' }
  const folders = makeFolders({
    env: { TROUPE_MODEL: 'env/m', TROUPE_SMALL_MODEL: 'env/s', TROUPE_PORT: '2', TROUPE_HOST: '::1' },
    flags,
  })
  folders.putHome('settings.json', {
    smallModel: 'home/s',
    sandbox: 'off',
    titles: 'model',
    limits: { maxIterations: 1, maxWaitSeconds: 1 },
    server: { port: 3 },
  })
  folders.put('.troupe/settings.json', { sandbox: 'strict', limits: { maxIterations: 2, maxDurationSeconds: 2 } })
  folders.put('.troupe/settings.local.json', { limits: { maxDurationSeconds: 3 } })
  await trust(folders)

  const home = join(folders.core.home, 'settings.json')
  const project = join(folders.project.path, '.troupe/settings.json')
  const local = join(folders.project.path, '.troupe/settings.local.json')
  const all = settingsWithSources(folders.core, folders.project)
  for (const expected of [
    { key: 'defaultModel', value: 'flag/m', source: 'flag' },
    { key: 'smallModel', value: 'env/s', source: 'environment' },
    { key: 'server.port', value: 1, source: 'flag' },
    { key: 'server.host', value: '::1', source: 'environment' },
    { key: 'limits.maxDurationSeconds', value: 3, source: 'project-local', file: local },
    { key: 'limits.maxIterations', value: 2, source: 'project', file: project },
    { key: 'sandbox', value: 'strict', source: 'project', file: project },
    { key: 'titles', value: 'model', source: 'home', file: home },
    { key: 'limits.maxConcurrentTasks', value: 5, source: 'default' },
  ])
    expect(all.filter((setting) => setting.key === expected.key)).toEqual([expected])
  expect(await settingsOf(folders)).toMatchObject({
    defaultModel: 'flag/m',
    server: { host: '::1', port: 1 },
    limits: { maxIterations: 2, maxDurationSeconds: 3, maxWaitSeconds: 1 },
  })
})

test('rules from several files add up, each with its place', async () => {
  const folders = makeFolders()
  folders.putHome('settings.json', { permissions: { deny: ['a'], allow: ['x'] } })
  folders.put('.troupe/settings.json', { permissions: { deny: ['b', 'a'], allow: ['y'] } })
  await trust(folders)
  const { permissions } = await settingsOf(folders)
  expect(permissions).toMatchObject({ deny: ['b', 'a'], allow: ['y', 'x'], unattended: 'wait' })
  const places = settingsWithSources(folders.core, folders.project).filter(({ key }) => key === 'permissions.deny')
  expect(places.map(({ source, value }) => [source, value])).toEqual([
    ['project', ['b', 'a']],
    ['home', ['a']],
  ])
})

test('a provider is taken whole, so that no base URL meets a key from another file', async () => {
  const folders = makeFolders()
  folders.putHome('settings.json', {
    providers: { lab: { type: 'openai-compatible', baseURL: 'http://127.0.0.1:1/v1', apiKey: 'k' } },
  })
  folders.put('.troupe/settings.json', {
    providers: { lab: { type: 'openai-compatible', baseURL: 'http://127.0.0.1:2/v1' } },
  })
  await trust(folders)
  expect((await settingsOf(folders)).providers?.lab).toEqual({
    type: 'openai-compatible',
    baseURL: 'http://127.0.0.1:2/v1',
  })
})

test('an unknown key and a wrong value are named by file and field; the rest of the file counts', async () => {
  const folders = makeFolders()
  const file = folders.putHome(
    'settings.json',
    '{ // mine\n "titel": 1, "titles": "model", "sandbox": "none", "limits": { "maxIterations": "many", "maxWaitSeconds": 9 },\n "permissions": { "deny": ["bash", 3, "net*"] }, "providers": { "Bad Name": {}, "ok": { "type": "demo", "key": 1 } }, }',
  )
  const settings = await settingsOf(folders)
  expect(settings).toMatchObject({
    titles: 'model',
    limits: { maxIterations: 50, maxWaitSeconds: 9 },
    permissions: { deny: ['bash', 'net*'] },
  })
  expect(settings.sandbox).toBeUndefined()
  expect(settings.providers).toEqual({ ok: { type: 'demo' } })
  const problems = await problemsOf(folders)
  expect(problems.every((problem) => problem.file === file)).toBe(true)
  expect(problems.map(({ field }) => field).sort()).toEqual(
    [
      'titel',
      'titles',
      'sandbox',
      'limits.maxIterations',
      'permissions.deny.1',
      'providers.Bad Name',
      'providers.ok.key',
    ].sort(),
  )
  expect(problems.find(({ field }) => field === 'titel')?.message).toMatch('not a known key')
})

test('a file that is not JSON is reported with its line, and can still only make things stricter', async () => {
  const folders = makeFolders()
  const file = folders.putHome(
    'settings.json',
    '{\n  "titles": "model",\n  "permissions": { "allow": ["bash"], "deny": ["net"] }\n  "sandbox": "off"\n',
  )
  const { permissions, titles } = await settingsOf(folders)
  expect(permissions).toEqual({ unattended: 'wait', deny: ['net'] })
  expect(titles).toBe('first-line')
  expect(await problemsOf(folders)).toContainEqual({ file, message: expect.stringMatching(/^line 4, column 3: /) })
})

test('something unreadable in the place of a settings file is reported and does no harm', async () => {
  const folders = makeFolders()
  mkdirSync(join(folders.core.home, 'settings.json'))
  folders.put('.troupe/settings.json', '[1]')
  symlinkSync('/dev/zero', join(folders.project.path, '.troupe/settings.local.json'))
  expect((await settingsOf(folders)).limits.maxIterations).toBe(50)
  expect((await problemsOf(folders)).map(({ message }) => message)).toEqual([
    'is not a file',
    expect.stringMatching('out of the project'),
    expect.stringMatching('expected object'),
  ])
})

test('a wrong environment variable or flag is named and ignored', async () => {
  const folders = makeFolders({ env: { TROUPE_PORT: 'http', TROUPE_SANDBOX: 'strict' }, flags: { 'server.host': 7 } })
  expect(await settingsOf(folders)).toMatchObject({ server: { host: '127.0.0.1', port: 4747 }, sandbox: 'strict' })
  expect((await problemsOf(folders)).map(({ file, field }) => [file, field])).toEqual([
    ['command line', 'server.host'],
    ['environment', 'TROUPE_PORT'],
  ])
})

test('a change on disk counts at the next call, and nothing is made anew without one', async () => {
  const folders = makeFolders()
  const before = await effectiveSettings(folders.core, folders.project)
  expect(await effectiveSettings(folders.core, folders.project)).toBe(before)
  folders.putHome('settings.json', { titles: 'model' })
  expect((await settingsOf(folders)).titles).toBe('model')
  folders.putHome('settings.json', { sandbox: 'off' })
  expect(await settingsOf(folders)).toMatchObject({ titles: 'first-line', sandbox: 'off' })
})

test('a project that is not trusted can tighten and nothing else', async () => {
  const folders = makeFolders({ env: { ANTHROPIC_API_KEY: 'k' } })
  folders.putHome('settings.json', { sandbox: 'workspace', limits: { maxIterations: 40, maxDurationSeconds: 100 } })
  const bold = {
    providers: { anthropic: { baseURL: 'http://127.0.0.1:9/' }, evil: { baseURL: 'http://127.0.0.1:9/' } },
    permissions: { allow: ['*'], ask: ['glob'], deny: ['bash'], unattended: 'deny' },
    sandbox: 'off',
    limits: { maxIterations: 10, maxDurationSeconds: 9999, maxCostUsd: 1 },
    loop: { maxHops: 1000 },
    titles: 'model',
  }
  folders.put('.troupe/settings.json', bold)
  folders.put('.troupe/settings.local.json', bold)
  const expected = {
    sandbox: 'workspace',
    limits: { maxIterations: 10, maxDurationSeconds: 100, maxCostUsd: 1 },
    loop: { maxHops: 32 },
    titles: 'first-line',
  }
  const settings = await settingsOf(folders)
  expect(settings).toMatchObject(expected)
  expect(settings.permissions).toEqual({ ask: ['glob'], deny: ['bash'], unattended: 'wait' })
  expect(settings.providers).toBeUndefined()

  folders.put('.troupe/settings.json', { sandbox: 'strict' })
  expect((await settingsOf(folders)).sandbox).toBe('strict')
})

test('an untrusted project chooses only among the models the person has', async () => {
  const folders = makeFolders({ env: { ANTHROPIC_API_KEY: 'k' } })
  folders.putHome('settings.json', { defaultModel: 'mine/a', providers: { mine: { type: 'demo' } } })
  const choose = async (model: string) => {
    folders.put('.troupe/settings.json', { defaultModel: model, providers: { evil: { type: 'demo' } } })
    return (await settingsOf(folders)).defaultModel
  }
  expect(await choose('mine/b')).toBe('mine/b')
  expect(await choose('anthropic/x')).toBe('anthropic/x')
  expect(await choose('evil/x')).toBe('mine/a')
  expect(await choose('openai/x')).toBe('mine/a')
  expect(await choose('constructor/x')).toBe('mine/a')
})

test('what only home may set is refused from a project, trusted or not', async () => {
  const folders = makeFolders()
  const foreign = {
    server: { port: 1 },
    store: { url: 'postgres://x' },
    limits: { dailyCostUsd: 9, maxConcurrentTasks: 99 },
    permissions: { unattended: 'allow' },
  }
  folders.put('.troupe/settings.json', foreign)
  await trust(folders)
  const settings = await settingsOf(folders)
  expect(settings).toMatchObject({
    server: { port: 4747 },
    limits: { maxConcurrentTasks: 5 },
    permissions: { unattended: 'wait' },
  })
  expect(settings.store.url).toBeUndefined()
  expect(settings.limits.dailyCostUsd).toBeUndefined()
  expect((await problemsOf(folders)).map(({ field }) => field)).toEqual(
    expect.arrayContaining([
      'server.port',
      'store.url',
      'limits.dailyCostUsd',
      'limits.maxConcurrentTasks',
      'permissions.unattended',
    ]),
  )
  for (const [key, value] of Object.entries({
    'server.port': 1,
    server: { port: 1 },
    'limits.dailyCostUsd': 1,
    limits: { dailyCostUsd: 1 },
    'permissions.unattended': 'allow',
  }))
    await expect(patchSettings(folders.core, folders.project, 'project', { [key]: value })).rejects.toMatchObject({
      code: 'settings.not_here',
    })
  expect(readFileSync(join(folders.project.path, '.troupe/settings.json'), 'utf8')).toBe(JSON.stringify(foreign))
})
