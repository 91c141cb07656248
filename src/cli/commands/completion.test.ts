import { spawnSync } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bin, openDesk } from '../../../test/kit/desk.ts'
import { makeFolder } from '../../../test/kit/files.ts'

const desk = openDesk()
const quiet = openDesk()
let handle: string

beforeAll(async () => {
  desk.put('.troupe/agents/tester/AGENT.md', 'You test.')
  desk.put('.troupe/agents/$(touch hurt)/AGENT.md', 'You hurt.')
  const sent = await desk.json('send', 'tester', '--new', '--wait', 'hello')
  handle = sent.session
})
afterAll(() => Promise.all([desk.close(), quiet.close()]))

/** The values offered behind these words. */
async function offered(...words: string[]): Promise<string[]> {
  const { code, out, err } = await desk.run('__complete', '--', ...words)
  expect({ code, err }).toEqual({ code: 0, err: '' })
  return out.split('\n').flatMap((line) => line.split('\t')[0] || [])
}

test('every command that help names is offered, and the hidden one is not', async () => {
  const { out } = await desk.run('--help')
  const listed = out.split('Examples:')[0]!.matchAll(/^ {2}(\w+) /gm)
  expect((await offered('')).sort()).toEqual([...listed].map(([, name]) => name).sort())
  expect(await offered('__')).toEqual([])
})

test('a command offers its subcommands, and the options of the one that is meant when none is named', async () => {
  expect(await offered('agents', '')).toEqual(expect.arrayContaining(['list', 'show']))
  const options = await offered('sessions', '--')
  expect(options).toEqual(expect.arrayContaining(['--agent', '--status', '--json', '--home', '--help']))
  expect(new Set(options).size).toBe(options.length)
})

test('an option that is given already is not offered again, nor are hidden ones', async () => {
  expect(await offered('send', '--new', '--ne')).toEqual([])
  expect(await offered('up', '--any')).toEqual([])
})

test('agents are offered where an agent is meant', async () => {
  expect(await offered('chat', 'te')).toEqual(['tester'])
  expect(await offered('agents', 'show', 'te')).toEqual(['tester'])
  expect(await offered('sessions', '--agent', 'te')).toEqual(['tester'])
  expect(await offered('sessions', '--agent=te')).toEqual(['--agent=tester'])
  expect(await offered('sessions', '--agent', '=', 'te')).toEqual(['tester'])
})

test('sessions are offered where a session is meant, and both where either may stand', async () => {
  expect(await offered('sessions', 'show', '')).toContain(handle)
  expect(await offered('chat', '--session', '')).toContain(handle)
  expect(await offered('send', '--wait', '')).toEqual(expect.arrayContaining(['tester', handle]))
  expect(await offered('send', '--wait', '30', 'te')).toEqual(['tester'])
})

test('the message itself is not guessed', async () => {
  expect(await offered('send', 'tester', '')).toEqual([])
})

test('a folder is left to the shell', async () => {
  expect(await offered('--project', '')).toEqual([':files'])
})

test('a name that a shell would act on is never offered', async () => {
  const { items } = await desk.json('agents')
  expect(items.map(({ name }: { name: string }) => name)).toContain('$(touch hurt)')
  expect((await offered('chat', '')).filter((name) => name.includes('hurt'))).toEqual([])
})

test('without a server there is nothing to say about agents, and none is started', async () => {
  expect(await quiet.run('__complete', '--', 'chat', '')).toEqual({ code: 0, out: '', err: '' })
  expect(quiet.server()).toBeUndefined()
})

test('the data folder named on the line is the one that is asked', async () => {
  const { out } = await quiet.run('__complete', '--', '--home', desk.home, '--project', desk.project, 'chat', 'te')
  expect(out).toMatch(/^tester\t/)
})

test('bash offers an agent of the running server', () => {
  const folder = makeFolder()
  symlinkSync(bin, join(folder, 'troupe'))
  const script = `source <(troupe completion bash)
    COMP_WORDS=(troupe chat te); COMP_CWORD=2; _troupe; echo "\${COMPREPLY[@]}"`
  const PATH = [folder, dirname(process.execPath), process.env.PATH].join(delimiter)
  const { stdout, stderr } = spawnSync('bash', ['-c', script], {
    cwd: desk.project,
    env: { PATH, HOME: desk.home, TROUPE_HOME: desk.home },
    encoding: 'utf8',
  })
  expect({ stdout, stderr }).toEqual({ stdout: 'tester\n', stderr: '' })
})

test('"completion --help" says how to install it for each shell', async () => {
  const { out } = await desk.run('completion', '--help')
  for (const shell of ['bash', 'zsh', 'fish']) expect(out).toContain(`troupe completion ${shell} >`)
})
