import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Desk, openDesk } from '../../../test/kit/desk.ts'

let desk: Desk
beforeEach(() => {
  desk = openDesk()
})
afterEach(() => desk.close())

test('"init" makes definitions that the server takes without a problem', async () => {
  const { made, kept } = await desk.json('init')
  expect(made).toContain('.troupe/agents/reviewer/agent.json')
  expect(kept).toEqual([])
  expect(readFileSync(join(desk.project, '.troupe/.gitignore'), 'utf8')).toBe(
    'settings.local.json\nruns/\nworktrees/\nmemory/.lock\n',
  )
  const { items } = await desk.json('agents')
  expect(items.find(({ name }: { name: string }) => name === 'reviewer')).toMatchObject({
    source: 'project',
    broken: false,
    problems: [],
  })
  expect((await desk.json('config')).problems).toEqual([])
  const { acting } = await desk.json('trust')
  expect(acting).toEqual([])
})

test('"init" never overwrites', async () => {
  desk.put('.troupe/settings.json', '{ "titles": "model" } // mine')
  const { made, kept } = await desk.json('init')
  expect(kept).toEqual(['.troupe/settings.json'])
  expect(made).not.toContain('.troupe/settings.json')
  expect(readFileSync(join(desk.project, '.troupe/settings.json'), 'utf8')).toContain('// mine')
})

test('"init" names the keys it found and not their values', async () => {
  const { out } = await desk.start(['init'], { env: { OPENROUTER_API_KEY: 'sk-very-secret' } }).done
  expect(out).toContain('OPENROUTER_API_KEY')
  expect(out).not.toContain('sk-very-secret')
})

test('"doctor" finds everything in a sound place, and a data folder that others can read', async () => {
  const sound = await desk.json('doctor')
  expect(sound.ok).toBe(true)
  expect(sound.checks.map(({ what }: { what: string }) => what)).toEqual(
    expect.arrayContaining([
      'node',
      'sqlite',
      'git',
      'rg',
      'keys',
      'data folder',
      'port',
      'server',
      'model',
      'trust',
      'definitions',
    ]),
  )
  chmodSync(desk.home, 0o755)
  const open = await desk.run('doctor')
  expect(open.code).toBe(1)
  expect(open.out).toContain('doctor --fix')
  expect((await desk.run('doctor', '--fix')).code).toBe(0)
  expect(statSync(desk.home).mode & 0o777).toBe(0o700)
})

test('"doctor --fix" repairs what it reported and says what it did; after that there is nothing left to repair', async () => {
  await desk.run('agents')
  chmodSync(join(desk.home, 'token'), 0o644)
  desk.put('.troupe/.gitignore', 'mine/')
  expect((await desk.run('doctor', '--no-start')).out).toContain(
    'lacks settings.local.json, runs/, worktrees/, memory/.lock',
  )
  const { out, code } = await desk.run('doctor', '--fix')
  expect(code).toBe(0)
  expect(out).toMatch(/\+ data folder +.*token could be read by others; now only by you/)
  expect(out).toContain('2 repaired')
  expect(statSync(join(desk.home, 'token')).mode & 0o777).toBe(0o600)
  expect(readFileSync(join(desk.project, '.troupe/.gitignore'), 'utf8')).toBe(
    'mine/\nsettings.local.json\nruns/\nworktrees/\nmemory/.lock\n',
  )
  expect((await desk.run('doctor', '--fix')).out).not.toContain('repaired')
})

test('"doctor" names the file and the field of a broken definition', async () => {
  desk.put('.troupe/agents/odd/agent.json', { model: 'no slash' })
  const { code, out } = await desk.run('doctor')
  expect(code).toBe(1)
  expect(out).toMatch(/odd\/agent\.json, model: .*provider\/model/)
})

test('"doctor" without a server says so and checks the rest', async () => {
  const { code, out } = await desk.run('doctor', '--no-start')
  expect(code).toBe(0)
  expect(out).toContain('No server runs')
  expect(desk.server()).toBeUndefined()
})

test('"backup" writes a database that can be opened, while the server runs', async () => {
  await desk.run('send', 'assistant', '--wait', 'hello')
  const { file } = await desk.json('backup')
  expect(existsSync(file)).toBe(true)
  const copy = new DatabaseSync(file, { readOnly: true })
  expect(copy.prepare('select count(*) as n from messages').get()).toEqual({ n: 2 })
  copy.close()
})

test('"logs" shows what the server recorded', async () => {
  expect((await desk.run('logs')).code).toBe(1)
  await desk.run('agents')
  const { code, out } = await desk.run('logs', '-n', '5')
  expect(code).toBe(0)
  expect(out).toContain('serving')
})

test('two folders are two projects of one server', async () => {
  await desk.run('send', 'assistant', '--wait', 'hello from here')
  const other = join(desk.home, '..', 'other')
  writeFileSync(
    desk.put('../other/.troupe/agents/only-here.md', ''),
    '---\ndescription: lives in the other project\n---\nYou are here.\n',
  )
  const names = async (...more: string[]): Promise<string[]> =>
    (await desk.json('agents', ...more)).items.map(({ name }: { name: string }) => name)
  expect(await names()).not.toContain('only-here')
  expect(await names('--project', other)).toContain('only-here')
  expect((await desk.json('sessions', '--project', other)).items).toEqual([])
  expect((await desk.json('sessions', '--project', other, '--all-projects')).items).toHaveLength(1)
})

describe('at one desk, one after the other', () => {
  const desk = openDesk()
  afterAll(() => desk.close())

  test('a session is renamed, pinned, paused, forked, cleared, closed and deleted by its handle', async () => {
    const { session } = await desk.json('send', 'assistant', '--wait', 'hello')
    expect((await desk.json('sessions', 'rename', session, 'My talk')).title).toBe('My talk')
    expect((await desk.json('sessions', 'pin', session)).pinnedAt).toBeTruthy()
    expect((await desk.json('sessions', 'unpin', session)).pinnedAt).toBeUndefined()
    expect((await desk.json('sessions', 'pause', session)).status).toBe('paused')
    expect((await desk.json('sessions', 'resume', session)).status).toBe('idle')
    expect((await desk.json('sessions', 'model', session, 'demo/demo')).model).toBe('demo/demo')
    const fork = await desk.json('sessions', 'fork', session, '--at', '1', '--title', 'Another')
    expect(fork).toMatchObject({ title: 'Another', messageCount: 1 })
    expect((await desk.run('sessions', 'export', session)).out).toContain('hello')
    expect((await desk.run('sessions', 'prompt', session)).out).toMatch(/^all +\d+$/m)
    expect((await desk.json('sessions', 'clear', session)).messageCount).toBe(0)
    expect((await desk.json('sessions', 'close', session)).status).toBe('closed')
    expect((await desk.json('sessions', 'reopen', session)).status).toBe('idle')
    expect((await desk.run('sessions', 'delete', session)).code).toBe(0)
    const { items } = await desk.json('sessions')
    expect(items.map(({ handle }: { handle: string }) => handle)).toEqual([fork.handle])
    const lost = await desk.run('sessions', 'show', session)
    expect(lost.code).toBe(1)
    expect(lost.err).toContain(session)
  })

  test('"sessions messages --limit" shows the last ones', async () => {
    const { session } = await desk.json('send', 'assistant', '--wait', 'hello')
    await desk.run('send', session, '--wait', 'list the files')
    const { items } = await desk.json('sessions', 'messages', session, '--limit', '1')
    expect(items).toHaveLength(1)
    expect(items[0].parts[0].text).toContain('These are the files')
  })

  test('"config" writes a value, says where it comes from, and removes it', async () => {
    const key = 'limits.maxIterations'
    expect((await desk.run('config', 'get', key)).out).toBe('50\n')
    expect((await desk.run('config', 'set', key, '7')).code).toBe(0)
    expect((await desk.run('config', 'get', key)).out).toBe('7\n')
    expect((await desk.run('config', 'where', key)).out).toContain(join(desk.home, 'settings.json'))
    expect((await desk.run('config', 'unset', key)).code).toBe(0)
    expect((await desk.run('config', 'get', key)).out).toBe('50\n')
    const wrong = await desk.run('config', 'set', key, 'many')
    expect(wrong.code).toBe(1)
    expect(wrong.err).toContain('maxIterations')
  })

  test('"trust" shows what would act, needs a person, and asks again when it changes', async () => {
    desk.put('.troupe/settings.json', { permissions: { allow: ['bash'] } })
    const asked = await desk.run('trust')
    expect(asked.code).toBe(4)
    expect(asked.out).toContain('settings.json')
    expect((await desk.run('trust', '--yes')).code).toBe(0)
    expect((await desk.json('trust')).trusted).toBe(true)
    desk.put('.troupe/settings.json', { permissions: { allow: ['*'] } })
    const changed = await desk.run('trust')
    expect(changed.code).toBe(4)
    expect(changed.out).toContain('Changed since you trusted it')
    expect((await desk.run('trust', '--yes')).code).toBe(0)
    expect((await desk.run('trust', '--revoke')).code).toBe(0)
    expect((await desk.json('config')).trusted).toBe(false)
  })
})
