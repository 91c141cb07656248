import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import type { Store } from '../../src/store/store.ts'
import { act, cast } from '../kit/cast.ts'
import { stores } from '../kit/database.ts'
import { atRest, texts } from '../kit/records.ts'
import { ask, spawn, tell } from '../kit/script.ts'
import { createWorld, type World } from '../kit/world.ts'

const known = 'canary-token-58a1e2'
const shaped = 'ghp_0123456789abcdefghijklmnopqrstuvwxyz'
const both = `${known} and ${shaped}`
const secrets = [known, shaped]
const env = { MY_SERVICE_TOKEN: known }

const leaks = (text: string): string[] => secrets.filter((secret) => text.includes(secret))

/** Every table of the database that holds one of them. */
async function tablesWith(store: Store): Promise<string[]> {
  const tables = await store.read.introspection.getTables()
  const found = await Promise.all(
    tables.map(async ({ name }) => {
      const { rows } = await sql`select * from ${sql.table(name)}`.execute(store.read)
      return leaks(JSON.stringify(rows)).length > 0 ? [name] : []
    }),
  )
  return found.flat()
}

const filesWith = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.endsWith('agents/ann'))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => leaks(readFileSync(file, 'latin1')).length > 0)

/** Everything that streams, with what was streamed for one call or answer in one piece. */
function listen(world: World): () => string {
  const streams = new Map<string, string>()
  world.server.core.bus.onDelta(({ attempt, kind, text }) => {
    const key = `${attempt} ${kind}`
    streams.set(key, (streams.get(key) ?? '') + text)
  })
  return () => JSON.stringify([...streams.values()])
}

describe.each(stores)('a secret on %s', (store) => {
  test('is in no row, event, export, file, request or live text, whichever road it takes', async () => {
    const world = await createWorld({
      store,
      env,
      settings: { permissions: { allow: ['bash'] } },
      files: { ...cast({ ann: {}, ben: {} }), '../home/agents/ann/AGENT.md': `You are ann. Never say ${both}.` },
    })
    const live = listen(world)
    const todos = [{ content: `Use ${both}`, status: 'pending', priority: 'high' }]
    world.vendor.queue(
      { model: 'ann' },
      {
        reasoning: `Maybe ${both}`,
        text: `I use ${both}`,
        chunks: ['I use can', 'ary-tok', 'en-58a1e2 and gh', 'p_0123456789abcdefg', 'hijklmnopqrstuvwxyz'],
        calls: [
          { name: 'bash', input: { command: `printf '%s' canary-token; sleep 0.2; echo '-58a1e2 ${shaped}'` } },
          { name: 'write_file', input: { path: 'out.txt', content: both } },
          { name: 'todo_write', input: { todos } },
          { name: 'log_write', input: { message: both } },
          { name: 'glob', input: { pattern: both } },
        ],
      },
      { calls: [{ name: 'read_file', input: { path: 'out.txt' } }, tell('ben', both), tell('human', both)] },
      { calls: [ask('ben', `Is it ${both}?`)] },
      { calls: [spawn('ben', `${both}: look at it`)] },
      { calls: [{ name: 'ask_human', input: { question: `${both}?`, options: [both] } }] },
      { text: `That was ${both}` },
      { error: { kind: 'bad-request', message: `The key ${both} is bad` } },
    )
    world.vendor.queue({ model: 'ben' }, ...Array.from({ length: 4 }, () => ({ text: `Heard ${both}` })))

    const ann = await world.session({ agent: 'ann', attributes: { note: both } })
    await world.say(ann.id, `${both}: take it`)
    const [question] = (await world.inbox()).filter(({ kind }) => kind === 'question')
    await world.ok('POST', `/api/inbox/${question!.id}/answer`, { answer: both })
    await world.reaches(ann.id, 'idle')
    await world.say(ann.id, `Again ${both}`)
    await atRest(world)
    await world.ok('PATCH', `/api/sessions/${ann.id}`, { title: both })
    const [first] = await world.messages(ann.id)
    await world.ok('PATCH', `/api/sessions/${ann.id}/messages/${first!.id}`, { text: `Edited ${both}` })
    await world.ok('POST', `/api/sessions/${ann.id}/fork`, { title: both })
    await act(world, ann.id, 'pause')
    await world.send(ann.id, `Waiting ${both}`, { followup: true })

    // It was really there: the tool got what the model wrote.
    expect(readFileSync(join(world.project, 'out.txt'), 'utf8')).toBe(both)
    expect(texts(await world.messages(ann.id), 'assistant').join()).toContain('[secret] and [secret]')
    expect(await tablesWith(world.server.core.store)).toEqual([])
    for (const format of ['md', 'jsonl']) {
      const exported = await world.request('GET', `/api/sessions/${ann.id}/export?format=${format}`)
      expect(leaks(JSON.stringify(exported.body)), format).toEqual([])
    }
    expect(leaks(JSON.stringify(await world.events()))).toEqual([])
    expect(leaks(JSON.stringify(world.vendor.requests))).toEqual([])
    expect(live()).toContain('[secret]')
    expect(leaks(live())).toEqual([])
    await world.server.stop()
    expect(filesWith(world.home)).toEqual([])
  })

  test('in a call that would have to wait for a person is refused at once, and the person is not asked', async () => {
    const world = await createWorld({ store, env })
    world.vendor.reply({ calls: [{ name: 'bash', input: { command: `echo ${known} > out` } }] }, { text: 'I see.' })
    const session = await world.session({ agent: 'coder' })
    expect(await world.say(session.id, 'Go')).toMatchObject({ end: 'done', reply: 'I see.' })
    expect(await world.results(session.id)).toEqual([expect.stringMatching(/^Not run: a person would have to approve/)])
    expect(await world.inbox()).toEqual([])
    expect(readdirSync(world.project)).not.toContain('out')
  })

  test('in a call behind one that waited is not made up: it is not run, and the model is told', async () => {
    const world = await createWorld({ store, env })
    world.vendor.reply(
      {
        calls: [
          { name: 'bash', input: { command: 'echo first' } },
          { name: 'write_file', input: { path: 'out.txt', content: known } },
        ],
      },
      { text: 'I see.' },
    )
    const session = await world.session({ agent: 'coder' })
    const parked = await world.say(session.id, 'Go')
    await world.restart()
    const [item] = await world.inbox()
    await world.ok('POST', `/api/inbox/${item!.id}/answer`, { decision: 'once' })
    expect(await world.settled(parked.mailId)).toMatchObject({ reply: 'I see.' })
    expect(await world.results(session.id)).toEqual([
      'first',
      expect.stringMatching(/^Not run: its input held a secret/),
    ])
    expect(readdirSync(world.project)).not.toContain('out.txt')
  })
})
