import { describe, expect, test } from 'vitest'
import { settleEvents, stores } from '../../../test/kit/database.ts'
import { atRest } from '../../../test/kit/records.ts'
import { boardBecomes, startRun, workNode } from '../../../test/kit/runs.ts'
import { parts } from '../../../test/kit/script.ts'
import { createWorld, type World } from '../../../test/kit/world.ts'

/** The GET routes whose answer is no snapshot of rows. */
const others: Readonly<Record<string, string>> = {
  '/metrics': 'numbers for a program that keeps its own time',
  '/api/health': 'says nothing but that it answers',
  '/api/me': 'who asks',
  '/api/welcome': 'the machine and its settings',
  '/api/files': 'files',
  '/api/file': 'files',
  '/api/agents': 'files',
  '/api/agents/{name}': 'files',
  '/api/devices': 'a file',
  '/api/settings': 'files',
  '/api/permissions': 'files',
  '/api/trust': 'files',
  '/api/tools': 'the program itself, and files',
  '/api/tools/problems': 'files',
  '/api/hooks': 'files',
  '/api/skills': 'files',
  '/api/skills/problems': 'files',
  '/api/skills/{name}': 'files',
  '/api/mcp': 'files, and what runs',
  '/api/mcp/{name}/log': 'what runs',
  '/api/models': 'settings and the catalogue',
  '/api/accounts': 'settings and what the vendors said',
  '/api/sessions/{ref}/tools': 'what files and rules make of the agent now',
  '/api/sessions/{ref}/recording': 'whether it is recorded, and where',
  '/api/sessions/{ref}/export': 'a file that is read while it is sent',
  '/api/runs/{id}/files': 'files',
  '/api/runs/{id}/file': 'files',
  '/api/runs/{id}/graph': 'what the events until a seq make of it',
  '/api/runs/{id}/export': 'a file that is read while it is sent',
  '/api/memory': 'files',
  '/api/memory/file': 'files',
  '/api/tasks/{id}/events': 'the events themselves; their seq is in the answer',
  '/api/events': 'the events themselves; their seq is in the answer',
  '/api/events/stream': 'the events themselves',
  '/api/ws': 'the events themselves',
  '/api/openapi.json': 'a description',
  '/api/docs': 'a description',
}

/** A world with one thing of each kind, so that every name in a path can be filled in. */
async function filled(world: World) {
  const { json: session } = await world.call('POST', '/api/sessions', { body: { agent: 'assistant' } })
  const path = `/api/sessions/${session.id}/messages`
  const { json: mail } = await world.call('POST', path, { body: { content: 'hello', wait: 60 } })
  const { json: task } = await world.call('POST', '/api/tasks', {
    body: { agent: 'assistant', input: { prompt: 'hello' } },
  })
  await world.eventually(async () => (await world.call('GET', `/api/tasks/${task.id}`)).json.status === 'finished')
  const { json: trigger } = await world.call('POST', '/api/triggers', {
    body: {
      type: 'delayed',
      config: { delaySeconds: 3600 },
      action: { type: 'send', to: 'assistant', message: 'Look' },
    },
  })
  parts(world, { Goal: [{ calls: [workNode('A piece')] }, { text: 'Noted.' }], 'A piece': [{ text: 'Done.' }] })
  const run = await startRun(world, 'Goal')
  const { nodes } = await boardBecomes(world, run, { 'A piece': 'finished' })
  await world.ok('POST', `/api/runs/${run.id}/stop`)
  await atRest(world)
  const ids: Record<string, string> = { tasks: task.id, triggers: trigger.id, mail: mail.mailId, runs: run.id }
  const names: Record<string, string> = { '{ref}': session.id, '{name}': 'assistant', '{node}': nodes[0]!.id }
  const queries: Record<string, string> = {
    '/api/mail': `?session=${session.id}`,
    '/api/sessions/{ref}/found': '?text=hello',
  }
  const query = (route: string) => queries[route] ?? ''
  const fill = (route: string): string =>
    route.replaceAll(/\{\w+\}/g, (name) => names[name] ?? ids[route.split('/')[2]!]!) + query(route)
  return { session, get: fill }
}

describe.each(stores)('on %s', (store) => {
  test('every GET that shows rows says from where the events go on, and nothing is missed or doubled there', async () => {
    const world = await createWorld({ store })
    const { session, get } = await filled(world)
    const { json } = await world.call('GET', '/api/openapi.json')
    const routes = Object.entries<object>(json.paths).flatMap(([path, methods]) => ('get' in methods ? [path] : []))
    expect(routes).toEqual(expect.arrayContaining(Object.keys(others)))
    const pictures = routes.filter((path) => !(path in others))
    expect(pictures.length).toBeGreaterThan(10)
    await settleEvents(world.server.core.store)
    for (const route of pictures) {
      const answer = await world.call('GET', get(route))
      const seq = answer.headers['troupe-seq']
      expect([route, answer.status < 300, typeof seq]).toEqual([route, true, 'string'])
      await world.call('PATCH', `/api/sessions/${session.id}`, { body: { title: route } })
      await settleEvents(world.server.core.store)
      const { json: later } = await world.call('GET', `/api/events?after=${encodeURIComponent(String(seq))}`)
      expect(later.items.map(({ data }: { data: unknown }) => data)).toEqual([{ changed: { title: route } }])
    }
  })

  test('sessions are searched, and a long log is exported whole and in order', async () => {
    const world = await createWorld({ store })
    const { json: found } = await world.call('POST', '/api/sessions', {
      body: { agent: 'assistant', title: '50% off' },
    })
    await world.call('POST', '/api/sessions', { body: { agent: 'assistant', title: '500 times off' } })
    const { json } = await world.call('GET', '/api/sessions?q=50%25%20OFF')
    expect(json.items.map(({ id }: { id: string }) => id)).toEqual([found.id])

    const said = Array.from({ length: 130 }, (_, at) => `line ${at}.`)
    await world.server.core.store.write(async (db) => {
      const row = { session_id: found.id, role: 'user', interrupted: 0, created_at: 1 }
      const rows = said.map((text, at) => ({ ...row, seq: at + 1, parts: JSON.stringify([{ type: 'text', text }]) }))
      await db
        .insertInto('messages')
        .values(rows as never)
        .execute()
      await db
        .updateTable('sessions')
        .set({ next_seq: said.length + 1 })
        .where('id', '=', found.id)
        .execute()
    })
    const { text } = await world.call('GET', `/api/sessions/${found.id}/export?format=jsonl`)
    const lines = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines.map(({ parts }) => parts[0].text)).toEqual(said)
    const context = await world.call('GET', `/api/sessions/${found.id}/context`)
    const texts = context.json.parts.find(({ part }: { part: string }) => part === 'user text')
    expect(texts.tokens).toBeGreaterThanOrEqual(said.join('').length / 4)
    expect(texts.tokens).toBeLessThan(said.join('').length)
  })
})

test.each([
  '/api/sessions?q=plans',
  '/api/sessions/REF/export',
  '/api/sessions/REF/context',
  '/api/sessions/REF/found?text=x',
  '/api/cost',
])(
  'GET %s is read in the thread beside, whose reads come one after the other; others do not wait for it',
  async (path) => {
    const world = await createWorld()
    const { session } = await filled(world)
    const gate = Promise.withResolvers<void>()
    const entered = Promise.withResolvers<void>()
    const held = world.server.core.store.aside(async () => {
      entered.resolve()
      await gate.promise
    })
    await entered.promise
    let answered = false
    const asked = world.call('GET', path.replace('REF', session.id)).then(({ status }) => {
      answered = true
      return status
    })
    for (let at = 0; at < 3; at++) expect((await world.call('GET', '/api/sessions')).status).toBe(200)
    expect(answered).toBe(false)
    gate.resolve()
    expect(await asked).toBe(200)
    await held
  },
)
