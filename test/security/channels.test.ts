import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { InboxItem } from '../../src/contract/inbox.ts'
import { effectiveSettings } from '../../src/core/config/index.ts'
import { createClock } from '../kit/clock.ts'
import { makeFolders } from '../kit/folders.ts'
import { openMailServer, openReceiver, type Posted } from '../kit/receivers.ts'
import { parts } from '../kit/script.ts'
import { HOUR, pass } from '../kit/triggers.ts'
import { createWorld, type World, type WorldOptions } from '../kit/world.ts'

const publicUrl = 'https://troupe.example.org'
const SPITEFUL = 'Sure?\r\nBcc: thief@example.org\r\n\r\n<script>alert(1)</script>"\'><img src=x onerror=alert(2)>'
const routes = [{ channels: ['team'] }]
const webhook = (url: string, more = {}) => ({ type: 'webhook', url, private: true, ...more })

/** A world whose assistant asks what its instruction names. */
async function asking(settings: Record<string, unknown>, more: WorldOptions = {}) {
  const world = await createWorld({ settings: { server: { publicUrl }, routes, ...settings }, ...more })
  const ask = (question: string, options?: string[]) => ({
    calls: [{ name: 'ask_human', input: { question, ...(options && { options }) } }],
  })
  parts(world, {
    Spite: [ask(SPITEFUL, ['<b>yes</b>', '"><script>no']), { text: 'Done.' }],
    Plain: [ask('Red or green?'), { text: 'Done.' }],
  })
  const session = await world.session()
  return { world, session }
}

/** Somebody else's server. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
}

const linkIn = ({ body }: Posted): string => (body as { answer: string }).answer
const first = <T>(world: World, list: readonly T[]): Promise<T> => world.eventually(async () => list[0])
const deliveries = (world: World) => world.server.core.store.read.selectFrom('deliveries').selectAll().execute()
const settled = (world: World) =>
  world.eventually(async () =>
    (await deliveries(world)).find(
      ({ attempts, state, reason }) => attempts > 0 && (state !== 'pending' || reason !== null),
    ),
  )

/** A page outside the API, without a token, as a browser asks for it under the public address. */
const open = (world: World, link: string, method = 'GET', body?: string) =>
  world.call(method, new URL(link).pathname, {
    headers: {
      authorization: '',
      host: 'troupe.example.org',
      ...(body !== undefined && { 'content-type': 'application/x-www-form-urlencoded', origin: publicUrl }),
    },
    ...(body !== undefined && { body }),
  })

test('what an agent asks is text on the answer page and in a mail: no element, no header, no second receiver', async () => {
  const receiver = await openReceiver()
  const server = await openMailServer('me', 'open-sesame')
  const post = { type: 'email', host: '127.0.0.1', port: server.port, user: 'me', password: 'open-sesame' }
  const { world, session } = await asking({
    channels: { to: { team: webhook(receiver.url), post: { ...post, from: 'a@example.org', to: 'b@example.org' } } },
    routes: [{ channels: ['team', 'post'] }],
  })
  await world.send(session.id, 'Spite')
  const page = (await open(world, linkIn(await first(world, receiver.posted)))).text
  expect(page).toContain('&#60;script&#62;alert(1)')
  expect(page).not.toMatch(/<script|<img|<b>yes|"><script/)
  const mail = await first(world, server.mails)
  expect(mail.to).toEqual(['b@example.org'])
  const [head = ''] = mail.text.split('\r\n\r\n', 1)
  expect(head).not.toMatch(/^bcc:/im)
  expect(head).toMatch(/^subject:.*question.from.assistant/im)
})

test('a program that looks at a link ahead of the person answers nothing, however it asks', async () => {
  const receiver = await openReceiver()
  const { world, session } = await asking({ channels: { to: { team: webhook(receiver.url) } } })
  await world.send(session.id, 'Plain')
  const link = linkIn(await first(world, receiver.posted))
  for (const method of ['GET', 'HEAD', 'GET']) expect((await open(world, link, method)).status).toBe(200)
  for (const method of ['PUT', 'DELETE', 'PATCH']) expect((await open(world, link, method)).status).toBeGreaterThan(400)
  expect((await open(world, `${link}?answer=red`)).status).toBe(200)
  expect((await world.inbox()).map(({ status }) => status)).toEqual(['open'])
})

test('a form that says nothing that can be kept is refused, and its link still answers', async () => {
  const receiver = await openReceiver()
  const { world, session } = await asking({ channels: { to: { team: webhook(receiver.url) } } })
  await world.send(session.id, 'Plain')
  const link = linkIn(await first(world, receiver.posted))
  for (const [body, words] of [
    ['answer=', 'Say something'],
    ['answer=%00%00', 'Say something'],
    ['decision=once', 'Say something'],
    [`answer=${'x'.repeat(70_000)}`, 'more than 65536 characters'],
  ] as const)
    expect(await open(world, link, 'POST', body)).toMatchObject({ status: 400, text: expect.stringContaining(words) })
  expect((await open(world, link, 'POST', 'answer=%00red')).status).toBe(200)
  await world.eventually(async () => (await world.look(session.id)).lastSnippet === 'Done.')
  expect(await world.results(session.id)).toMatchObject([{ answer: 'red' }])
})

test('of answers that come at once by a link and by clients, one counts and the others get 409', async () => {
  const receiver = await openReceiver()
  const { world, session } = await asking({ channels: { to: { team: webhook(receiver.url) } } })
  await world.send(session.id, 'Plain')
  const link = linkIn(await first(world, receiver.posted))
  const [item] = await world.inbox()
  const answers = await Promise.all([
    open(world, link, 'POST', 'answer=one'),
    open(world, link, 'POST', 'answer=two'),
    world.request('POST', `/api/inbox/${item!.id}/answer`, { answer: 'three' }),
    world.request('POST', `/api/inbox/${item!.id}/answer`, { answer: 'four' }),
  ])
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409])
  await world.eventually(async () => (await world.look(session.id)).lastSnippet === 'Done.')
  expect(await world.results(session.id)).toHaveLength(1)
})

test('a channel that answers with ten megabytes, and never ends, has taken the item', async () => {
  const url = await serve((_, response) => {
    response.writeHead(200)
    response.write(Buffer.alloc(10_000_000))
  })
  const { world, session } = await asking({ channels: { to: { team: webhook(url) } } })
  await world.send(session.id, 'Plain')
  expect(await settled(world)).toMatchObject({ state: 'done', attempts: 1 })
})

test('a channel that never answers holds up neither the agent nor other channels', async () => {
  const receiver = await openReceiver()
  const asked = Promise.withResolvers<void>()
  const silent = await serve(() => asked.resolve())
  const { world, session } = await asking({
    channels: { to: { silent: webhook(silent), team: webhook(receiver.url) } },
    routes: [{ channels: ['silent', 'team'] }],
  })
  await world.send(session.id, 'Plain')
  await asked.promise
  const [item] = await world.inbox()
  await first(world, receiver.posted)
  await world.ok('POST', `/api/inbox/${item!.id}/answer`, { answer: 'green' })
  await world.eventually(async () => (await world.look(session.id)).lastSnippet === 'Done.')
})

test('a webhook is not followed elsewhere, and an address of a private network needs the word of the person', async () => {
  const inner = await openReceiver()
  const url = await serve((_, response) => response.writeHead(307, { location: inner.url }).end())
  const { world, session } = await asking({ channels: { to: { team: webhook(url) } } })
  await world.send(session.id, 'Plain')
  expect(await settled(world)).toMatchObject({ reason: expect.stringContaining('redirects') })
  const { world: other, session: second } = await asking({
    channels: { to: { team: { type: 'webhook', url: inner.url } } },
  })
  await other.send(second.id, 'Plain')
  expect(await settled(other)).toMatchObject({ reason: expect.stringContaining('Not permitted') })
  expect(inner.posted).toEqual([])
})

test('the address of a webhook and the password of a mailbox are in no log, event, notice, setting or row that is shown', async () => {
  const clock = createClock()
  const dead = (await serve((_, response) => response.writeHead(500).end())).replace('/hook', '/services/T0/SECRETPATH')
  const { world, session } = await asking(
    {
      channels: {
        to: {
          team: webhook(dead),
          mail: { type: 'email', host: '127.0.0.1', port: 1, user: 'me', password: '$BOX', from: 'a@b.c', to: 'd@e.f' },
        },
      },
      routes: [{ channels: ['team', 'mail'] }],
    },
    { clock, env: { BOX: 'SECRETWORD' } },
  )
  await world.send(session.id, 'Plain')
  await world.reaches(session.id, 'waiting')
  const told = await world.eventually(async () => {
    pass(world, clock, 3 * HOUR)
    const notices = (await world.inbox()).filter(({ kind }) => kind === 'notice')
    return notices.length === 2 && notices
  })
  const logs = readdirSync(join(world.home, 'logs'), { recursive: true, encoding: 'utf8' })
  const read = logs
    .filter((name) => /\.\w+$/.test(name))
    .map((name) => readFileSync(join(world.home, 'logs', name), 'utf8'))
  const shown = JSON.stringify([
    told,
    await world.events(),
    await world.ok('GET', '/api/settings'),
    await world.ok('GET', '/api/status'),
    await deliveries(world),
    read,
  ])
  expect(shown).not.toMatch(/SECRETPATH|SECRETWORD/)
})

test('a channel gets twenty items a minute and is told of what was put off together, each once; beyond two hundred nobody is told there', async () => {
  const clock = createClock()
  const receiver = await openReceiver()
  const { world, session } = await asking({ channels: { to: { team: webhook(receiver.url) } } }, { clock })
  await world.send(session.id, 'Plain')
  await first(world, receiver.posted)
  const { core } = world.server
  const row = (await core.store.read.selectFrom('inbox').selectAll().executeTakeFirst())!
  const more = Array.from({ length: 230 }, (_, at) => ({ ...row, id: `inbox_t${at}`, call_id: null }))
  await core.store.write((db) => db.insertInto('inbox').values(more).execute())
  await world.restart()
  const rows = await world.eventually(async () => {
    const found = await deliveries(world)
    return found.length === 231 && found
  })
  expect(rows.filter(({ state }) => state === 'failed').map(({ reason }) => reason)).toEqual(
    expect.arrayContaining(['More than 200 items wait for this channel.']),
  )
  const timers = await world.server.core.store.read
    .selectFrom('timers')
    .select('due_at')
    .where('kind', '=', 'delivery')
    .execute()
  const byMinute = Map.groupBy(timers, ({ due_at }) => Math.floor((Number(due_at) - clock.at) / 60_000))
  for (const [minute, due] of byMinute) if (minute > 0) expect(due.length).toBeLessThanOrEqual(20)
  const bodies = () => receiver.posted.map(({ body }) => body as { item: { id: string }; along?: { id: string }[] })
  await world.eventually(async () => {
    pass(world, clock, 1000)
    return bodies().some(({ along = [] }) => along.length === 50)
  })
  await world.eventually(async () => {
    pass(world, clock, 1000)
    return (await deliveries(world)).every(({ state }) => state !== 'pending')
  })
  const told = bodies().flatMap(({ item, along = [] }) => [item.id, ...along.map(({ id }) => id)])
  expect(new Set(told).size).toBe(told.length)
  expect(told).toHaveLength(rows.filter(({ state }) => state !== 'failed').length)
})

test('a question is told at once, with its link, however much news waits for the same channel', async () => {
  const clock = createClock()
  const receiver = await openReceiver()
  const { world, session } = await asking({ channels: { to: { team: webhook(receiver.url) } } }, { clock })
  await world.send(session.id, 'Plain')
  await first(world, receiver.posted)
  const { core } = world.server
  const row = (await core.store.read.selectFrom('inbox').selectAll().executeTakeFirst())!
  const kind = 'message' as const
  const news = Array.from({ length: 230 }, (_, at) => ({ ...row, id: `inbox_t${at}`, call_id: null, kind }))
  await core.store.write((db) => db.insertInto('inbox').values(news).execute())
  await world.restart()
  await world.eventually(async () => (await deliveries(world)).some(({ state }) => state === 'failed'))
  const other = await world.session()
  await world.send(other.id, 'Plain')
  const told = () => receiver.posted.map(({ body }) => body as { item: { kind: string }; answer?: string })
  const questions = await world.eventually(async () => {
    const found = told().filter(({ item }) => item.kind === 'question')
    return found.length === 2 && found
  })
  expect(questions[1]!.answer).toContain('/answer/')
  await world.send((await world.session()).id, 'Plain')
  pass(world, clock, 61_000)
  await world.eventually(async () => {
    pass(world, clock, 1000)
    return (await deliveries(world)).every(({ state }) => state !== 'pending')
  })
  expect(told().filter(({ item, answer }) => item.kind === 'question' && answer)).toHaveLength(3)
})

test.each([
  [
    {
      channels: {
        to: Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`c${at}`, webhook('http://x.example')])),
      },
    },
    'at most 20 channels',
  ],
  [{ routes: Array.from({ length: 101 }, () => ({ channels: ['team'] })) }, 'routes'],
  [
    { channels: { to: { team: { type: 'webhook', url: `http://x.example/${'x'.repeat(3000)}` } } } },
    'channels.to.team',
  ],
])('too many or too large is told with its place: %#', async (settings, words) => {
  const folders = makeFolders()
  folders.putHome('settings.json', settings)
  const { problems } = await effectiveSettings(folders.core, folders.project)
  expect(JSON.stringify(problems)).toContain(words)
})

test('a route to a channel that is not there is told, in one line', async () => {
  const receiver = await openReceiver()
  const { world, session } = await asking({
    channels: { to: { team: webhook(receiver.url) } },
    routes: [{ channels: ['taem'] }],
  })
  await world.send(session.id, 'Plain')
  const [notice] = await world.eventually(async () => {
    const found = (await world.ok<{ items: InboxItem[] }>('GET', '/api/inbox?kind=notice')).items
    return found.length > 0 && found
  })
  expect(notice).toMatchObject({
    title: 'There is no channel "taem"',
    body: expect.stringContaining('channels.to.taem'),
  })
  expect(receiver.posted).toEqual([])
})

test('a project names no channel, no route and no place to which links lead, and is told so', async () => {
  const folders = makeFolders()
  folders.putHome('settings.json', { channels: { to: { team: webhook('https://hooks.example.org') } } })
  folders.put('.troupe/settings.json', {
    channels: { to: { thief: webhook('https://evil.example') }, away: ['thief'], approvals: true },
    routes: [{ channels: ['thief'] }],
    server: { publicUrl: 'https://evil.example' },
  })
  const { settings, problems } = await effectiveSettings(folders.core, folders.project)
  expect(settings.channels).toEqual({ to: { team: webhook('https://hooks.example.org') } })
  expect(settings.routes ?? []).toEqual([])
  expect(settings.server.publicUrl).toBeUndefined()
  for (const key of ['channels', 'routes', 'server']) expect(JSON.stringify(problems)).toContain(key)
})
