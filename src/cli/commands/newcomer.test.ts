import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { type Desk, gone, openDesk } from '../../../test/kit/desk.ts'
import { hasTmux, openTerminal } from '../../../test/kit/terminal.ts'

let desk: Desk
beforeEach(() => {
  desk = openDesk()
})
afterEach(() => desk.close())

/** A server of models at this machine that lists one and answers nothing else. */
async function serveModels(...ids: string[]): Promise<string> {
  const server = createServer((request, response) => {
    if (request.url?.endsWith('/models')) response.end(JSON.stringify({ data: ids.map((id) => ({ id })) }))
    else response.writeHead(400).end(JSON.stringify({ error: { message: 'No such thing here.' } }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

test('"sessions messages" says why a turn broke off, also when later ones went well', async () => {
  const provider = { type: 'openai-compatible', baseURL: await serveModels('small') }
  await desk.run('config', 'set', 'providers.mine', JSON.stringify(provider))
  await desk.run('config', 'set', 'defaultModel', 'mine/small')
  const { session } = JSON.parse((await desk.run('send', 'assistant', 'hello', '--wait', '--json')).out)
  await desk.run('sessions', 'model', session, 'demo/demo')
  expect((await desk.run('send', session, 'list the files', '--wait')).code).toBe(0)
  const { out } = await desk.run('sessions', 'messages', session)
  expect(out).toMatch(/hello\n✗ error: .*No such thing here/)
  expect(out.match(/✗/g)).toHaveLength(1)
  const { endings } = await desk.json('sessions', 'messages', session)
  expect(endings).toMatchObject([{ end: 'error', reason: expect.stringContaining('No such thing here') }])
})

test('a settings file that is not JSON is told once by "send", "status" and "doctor", and stops none of them', async () => {
  const file = desk.put('.troupe/settings.json', '{ "titles": model, broken')
  const sent = await desk.run('send', 'assistant', 'hello')
  expect(sent.code).toBe(0)
  const status = await desk.run('status', '--json')
  expect(JSON.parse(status.out).version).toBeTruthy()
  const doctor = await desk.run('doctor')
  for (const text of [sent.err, status.err, doctor.out]) {
    expect(text.split(file)).toHaveLength(2)
    expect(text).toContain('line 1, column 13')
  }
})

test('a model that a provider has not got is refused with what there is; where nobody can know, it is a warning', async () => {
  const { session } = await desk.json('send', 'assistant', 'hello', '--wait')
  const refused = await desk.run('sessions', 'model', session, 'demo/other')
  expect(refused.code).toBe(1)
  expect(refused.err).toContain('has no model "other"')
  expect(refused.err).toContain('demo/demo')
  const provider = { type: 'openai-compatible', baseURL: await serveModels('small') }
  await desk.run('config', 'set', 'providers.mine', JSON.stringify(provider))
  expect((await desk.run('config', 'set', 'defaultModel', 'mine/big')).err).toContain('There is: mine/small.')
  expect((await desk.run('config', 'set', 'defaultModel', 'nobody/any')).code).toBe(1)
  expect((await desk.json('config')).items).toContainEqual(
    expect.objectContaining({ key: 'defaultModel', source: 'default' }),
  )
  const known = await desk.run('config', 'set', 'defaultModel', 'mine/small')
  expect([known.code, known.err]).toEqual([0, ''])
  const early = await desk.run('config', 'set', 'smallModel', 'anthropic/claude-some')
  expect(early.code).toBe(0)
  expect(early.err).toMatch(/warning: .*ANTHROPIC_API_KEY/)
  expect((await desk.run('config', 'get', 'smallModel')).out).toBe('anthropic/claude-some\n')
})

test('"config get defaultModel" says which model is meant while none is set, and why', async () => {
  const none = await desk.run('config', 'get', 'defaultModel')
  expect([none.code, none.out]).toEqual([0, 'demo/demo\n'])
  expect(none.err).toContain('no provider can be used')
  const provider = { type: 'openai-compatible', baseURL: await serveModels('small'), models: ['small'] }
  await desk.run('config', 'set', 'providers.mine', JSON.stringify(provider))
  const found = await desk.run('config', 'get', 'defaultModel')
  expect(found.out).toBe('mine/small\n')
  expect(found.err).toContain('the first provider that can be used, mine')
  expect((await desk.run('config', 'where', 'defaultModel')).out).toContain('defaultModel: default (')
})

test('a fork says that the next message to the agent goes to it, and it does', async () => {
  const { session } = await desk.json('send', 'assistant', 'hello', '--wait')
  const { out } = await desk.run('sessions', 'fork', session)
  const handle = /✓ (\w+)/.exec(out)?.[1]
  expect(out).toContain('"troupe send assistant …" goes here')
  expect(out).toContain(`troupe send ${session} …`)
  expect((await desk.json('send', 'assistant', 'hello')).session).toBe(handle)
})

test('pinned sessions come first in the list, also when they are older than what is shown', async () => {
  const { session: first } = await desk.json('send', 'assistant', 'one', '--wait')
  expect((await desk.run('sessions', 'pin', first)).out).toContain('comes first')
  await desk.run('send', 'assistant', '--new', 'two', '--wait')
  const { out } = await desk.run('sessions', '--limit', '1')
  expect(out.split('\n')[1]).toMatch(new RegExp(`^${first} .*★ one`))
  expect(out).not.toContain('two')
  expect(out).toContain('There are more')
  expect((await desk.json('sessions')).items[0].handle).toBe(first)
})

test('"doctor" fails when the settings cannot be read, and says how many things need the person', async () => {
  desk.put('.troupe/settings.json', '{ "titles": model, broken')
  const { code, out } = await desk.run('doctor')
  expect([code, out]).toEqual([1, expect.stringContaining('One thing needs you.')])
})

test('a model without a key and rules without trust are told as such where one would look, and "doctor" leaves no server behind', async () => {
  const file = desk.put('.troupe/settings.json', {
    defaultModel: 'anthropic/some',
    permissions: { allow: ['bash(ls)'], deny: ['bash(rm *)'] },
  })
  const model = `${file}, defaultModel: has no effect until ANTHROPIC_API_KEY is set`
  const rules = `${file}, permissions.allow: has no effect until you trust this project with "troupe trust"`
  expect((await desk.run('doctor')).out).toContain(model)
  const left = desk.server()
  if (left) await gone(left.pid)
  const listed = await desk.run('permissions')
  expect(listed.out).not.toContain('bash(ls)')
  expect(listed.err).toContain(rules)
  const status = await desk.run('status')
  expect(status.err).toContain(model)
  expect(status.err).toContain(rules)
  expect((await desk.pipe('', 'chat')).err).toContain(rules)
  await desk.run('trust', '--yes')
  const trusted = await desk.run('status')
  expect(trusted.err).not.toContain('no effect')
  expect(trusted.out).toContain('anthropic/some, cannot be used: ANTHROPIC_API_KEY is not set')
  expect((await desk.run('permissions')).out).toContain('bash(ls)')
})

test('an agent whose model has no key is named by "agents" and "doctor", and its turn says which key', async () => {
  desk.put('.troupe/agents/poet/agent.json', { model: 'anthropic/some' })
  const trouble = 'poet: its model anthropic/some cannot be used: ANTHROPIC_API_KEY is not set'
  expect((await desk.run('agents')).out).toContain(trouble)
  expect((await desk.run('doctor')).out).toContain(trouble)
  const { code, err } = await desk.run('send', 'poet', 'hello', '--wait')
  expect([code, err]).toEqual([1, expect.stringContaining('set ANTHROPIC_API_KEY, then "troupe down"')])
})

test('an Ollama that does not answer where OLLAMA_HOST says is told with the way out', async () => {
  const env = { OLLAMA_HOST: '127.0.0.1:1' }
  const { err } = await desk.start(['models'], { env }).done
  expect(err).toContain('no Ollama with a model answers at OLLAMA_HOST, 127.0.0.1:1. Start it there')
  expect((await desk.start(['doctor'], { env }).done).out).toContain('Start Ollama there with a model pulled')
})

test('a mistyped agent or handle is answered with the one that was probably meant', async () => {
  const { session } = await desk.json('send', 'assistant', 'hello', '--wait')
  const near = `${session.slice(0, 3)}${session[3] === '0' ? '1' : '0'}`
  for (const [words, meant] of [
    [['send', 'resercher', 'hi'], 'researcher'],
    [['chat', 'codr'], 'coder'],
    [['agents', 'show', 'write'], 'writer'],
    [['sessions', 'show', near], session],
  ] as const) {
    const { code, err } = await desk.run(...words)
    expect([code, err]).toEqual([1, expect.stringContaining(`Did you mean "${meant}"?`)])
  }
})

test('"up" names the port that is taken', async () => {
  const port = new URL(await serveModels()).port
  const { code, err } = await desk.run('up', '--port', port)
  expect([code, err]).toEqual([1, expect.stringContaining(`Port ${port} is taken by another program.`)])
})

test('"permissions check" takes the options of the command it checks as words', async () => {
  expect((await desk.run('permissions', 'check', 'bash', 'ls', '-la')).out).toContain('"ls -la"')
})

describe.runIf(hasTmux)('at a terminal', () => {
  test('what a command says beside its result is broken between words', async () => {
    desk.put('.troupe/settings.json', { defaultModel: 'anthropic/some', permissions: { allow: ['bash(ls)'] } })
    await desk.run('up', '--detach')
    const { err } = await desk.run('status')
    const terminal = openTerminal(desk, ['status'], { columns: 60, rows: 40 })
    const screen = await terminal.shows(/exit \d/).finally(() => terminal.close())
    const words = err.split(/\s+/).filter((word) => word.length < 60)
    expect(words).toContain('trust')
    expect(words.filter((word) => !screen.split(/\s+/).includes(word))).toEqual([])
  })

  test('"sessions delete" asks first, and --yes does not', async () => {
    const { session } = await desk.json('send', 'assistant', 'hello', '--wait')
    const answer = async (words: string[], ...keys: string[]): Promise<string> => {
      const terminal = openTerminal(desk, ['sessions', 'delete', session, ...words])
      try {
        if (keys.length > 0) await terminal.shows(/Delete \w+ hello with 2 messages\?/)
        terminal.press(...keys)
        return await terminal.shows(/exit \d/)
      } finally {
        await terminal.close()
      }
    }
    expect(await answer([], 'Enter')).toMatch(/Nothing was deleted[\s\S]*exit 1/)
    expect((await desk.json('sessions')).items).toHaveLength(1)
    expect(await answer(['--yes'])).toMatch(/is deleted[\s\S]*exit 0/)
    expect((await desk.json('sessions')).items).toEqual([])
  })
})
