import { expect, test } from 'vitest'
import { useLink } from '../../src/core/channels/index.ts'
import { findDelivery } from '../../src/store/deliveries.ts'
import { createClock } from '../kit/clock.ts'
import { openReceiver, type Posted } from '../kit/receivers.ts'
import { parts } from '../kit/script.ts'
import { pass } from '../kit/triggers.ts'
import { createWorld, type World, type WorldOptions } from '../kit/world.ts'

const publicUrl = 'https://troupe.example.org'
const FORM = 'application/x-www-form-urlencoded'

/** A world whose assistant has asked two things, and the links to both. */
async function asked(more: WorldOptions = {}, channels: Record<string, unknown> = {}) {
  const receiver = await openReceiver()
  const team = { type: 'webhook', url: receiver.url, private: true }
  const world = await createWorld({
    settings: { server: { publicUrl }, channels: { to: { team }, ...channels }, routes: [{ channels: ['team'] }] },
    ...more,
  })
  const ask = (question: string) => ({ calls: [{ name: 'ask_human', input: { question } }] })
  parts(world, {
    One: [ask('Which colour has the first?'), { text: 'Done.' }],
    Two: [ask('Which colour has the second?'), { text: 'Done.' }],
    Run: [{ calls: [{ name: 'bash', input: { command: 'make all' } }] }, { text: 'Done.' }],
  })
  const told = async (word: string) => {
    const { id } = await world.session()
    const before = receiver.posted.length
    await world.send(id, word)
    return world.eventually(async () => receiver.posted[before])
  }
  return { world, told }
}

const linkIn = ({ body }: Posted): string => new URL((body as { answer: string }).answer).pathname
const codeIn = (link: string): [string, string] => link.slice('/answer/'.length).split('.') as [string, string]

/** As a browser, a crawler or an attacker asks: without a token. */
const ask = (world: World, method: string, path: string, headers: Record<string, string> = {}, body?: string) =>
  world.call(method, path, {
    headers: {
      authorization: '',
      host: 'troupe.example.org',
      ...(body !== undefined && { 'content-type': FORM }),
      ...headers,
    },
    ...(body !== undefined && { body }),
  })

const open = async (world: World) => (await world.inbox()).map(({ title }) => title)

test('no request but the form of the page itself answers, and the link is good afterwards', async () => {
  const { world, told } = await asked()
  const link = linkIn(await told('One'))
  const [id, signed] = codeIn(link)
  const [, other] = codeIn(linkIn(await told('Two')))
  const body = 'answer=red'
  const tries: [number, Parameters<typeof ask>[1], string, Record<string, string>?, string?][] = [
    [200, 'GET', link, { 'x-http-method-override': 'POST', purpose: 'prefetch' }],
    [200, 'GET', `${link}?answer=red&_method=POST`],
    [200, 'HEAD', link],
    [401, 'OPTIONS', link],
    [403, 'POST', link, { origin: 'https://evil.example' }, body],
    [403, 'POST', link, { origin: 'null' }, body],
    [421, 'POST', link, { host: 'evil.example' }, body],
    [421, 'POST', link, { host: 'troupe.example.org.evil.example' }, body],
    [415, 'POST', link, { 'content-type': 'text/plain' }, body],
    [415, 'POST', link, { 'content-type': 'multipart/form-data; boundary=x' }, body],
    [400, 'POST', link, { 'content-type': 'application/json' }, '{"answer":"red"}'],
    [400, 'POST', link, {}, 'answer=&answer=red'],
    [413, 'POST', link, {}, `answer=${'x'.repeat(1_100_000)}`],
    [401, 'POST', `/answer/${id}.${other}`, {}, body],
    [401, 'POST', `/answer/${id}.${signed.toUpperCase()}`, {}, body],
    [401, 'POST', `/answer/${id}.${signed.slice(1)}`, {}, body],
    [401, 'POST', `/answer/${id}`, {}, body],
    [401, 'POST', `${link}%0a`, {}, body],
    [401, 'POST', `/answer/${id}x.${signed}`, {}, body],
  ]
  for (const [status, ...request] of tries)
    expect([request, (await ask(world, ...request)).status]).toEqual([request, status])
  expect(await open(world)).toHaveLength(2)
  expect((await ask(world, 'POST', link, { origin: publicUrl }, body)).status).toBe(200)
  expect(await open(world)).toEqual(['Which colour has the second?'])
})

test('who opens a link that is none reads a page that says what to do, and learns of no token', async () => {
  const { world } = await asked()
  const page = await ask(world, 'GET', `/answer/delivery_x.${'0'.repeat(64)}`)
  expect(page.status).toBe(401)
  expect(String(page.headers['content-type'])).toContain('text/html')
  expect(page.text).toContain('This link is not valid. Answer in the terminal: troupe inbox')
  expect(page.text).not.toContain('token')
  for (let times = 0; times < 20; times += 1) await ask(world, 'GET', `/answer/delivery_x.${'0'.repeat(64)}`)
  const guessed = await ask(world, 'GET', `/answer/delivery_x.${'0'.repeat(64)}`)
  expect(guessed).toMatchObject({ status: 429, text: expect.stringContaining('Wait a minute') })
})

test('an old link shows nothing of what was asked, and is worth nothing to the millisecond', async () => {
  const clock = createClock()
  const { world, told } = await asked({ clock })
  const link = linkIn(await told('One'))
  const delivery = (await findDelivery(world.server.core.store.read, codeIn(link)[0]))!
  clock.at = Number(delivery.expires_at) - 1
  expect((await ask(world, 'GET', link)).text).toContain('Which colour has the first?')
  clock.at += 1
  const page = await ask(world, 'GET', link)
  expect(page.text).toContain('expired')
  expect(page.text).not.toContain('colour')
  expect((await ask(world, 'POST', link, {}, 'answer=red')).status).toBe(409)
  expect(await open(world)).toEqual(['Which colour has the first?'])
})

test('a link that was used answers no more, whatever became of its item', async () => {
  const { world, told } = await asked()
  const link = linkIn(await told('One'))
  const other = linkIn(await told('Two'))
  await world.ok('POST', '/api/pause')
  const page = await ask(world, 'POST', other, {}, 'answer=red')
  expect(page).toMatchObject({ status: 200, text: expect.stringContaining('It is answered. Everything is paused') })
  const { core } = world.server
  await useLink(core, (await findDelivery(core.store.read, codeIn(link)[0]))!)
  expect(await ask(world, 'POST', link, {}, 'answer=red')).toMatchObject({
    status: 409,
    text: expect.stringContaining('used already'),
  })
  expect(await open(world)).toHaveLength(1)
})

test('a link to an approval is worth nothing once the person has taken back that links may approve', async () => {
  const { world, told } = await asked({}, { approvals: true })
  const link = linkIn(await told('Run'))
  expect((await ask(world, 'GET', link)).text).toContain('Allow this one')
  await world.ok('PATCH', '/api/settings', { where: 'home', changes: { 'channels.approvals': false } })
  expect(await ask(world, 'POST', link, {}, 'decision=once')).toMatchObject({
    status: 409,
    text: expect.stringContaining('not decided by links'),
  })
  expect(await open(world)).toHaveLength(1)
})

test('a secret that an agent asks about is told to no channel', async () => {
  const receiver = await openReceiver()
  const secret = 'sesame-4711-sesame'
  const world = await createWorld({
    env: { HOOK: `${receiver.url}?key=${secret}` },
    settings: {
      server: { publicUrl },
      channels: {
        to: Object.fromEntries(
          ['json', 'slack', 'discord', 'teams'].map((format) => [
            format,
            { type: 'webhook', url: '$HOOK', format, private: true },
          ]),
        ),
      },
      routes: [{ channels: ['json', 'slack', 'discord', 'teams'] }],
    },
  })
  const question = `Is ${receiver.url}?key=${secret} right?`
  parts(world, { Ask: [{ calls: [{ name: 'ask_human', input: { question, options: [question] } }] }] })
  const { id } = await world.session()
  await world.send(id, 'Ask')
  await world.eventually(async () => receiver.posted.length === 4)
  for (const { text } of receiver.posted) expect(text).not.toContain(secret)
})

test('a channel that takes its time holds up no other, however much goes to it', async () => {
  const clock = createClock()
  const [team, slow] = [await openReceiver(), await openReceiver()]
  const held = Promise.withResolvers<void>()
  slow.until = held.promise
  const to = (url: string) => ({ type: 'webhook', url, private: true })
  const world = await createWorld({
    clock,
    settings: {
      channels: { to: { slow: to(slow.url), team: to(team.url) } },
      routes: [
        { agents: ['assistant'], channels: ['slow'] },
        { kinds: ['question'], agents: ['writer'], channels: ['team'] },
      ],
    },
  })
  parts(world, { Ask: [{ calls: [{ name: 'ask_human', input: { question: 'Which?' } }] }] })
  for (let times = 0; times < 12; times += 1) await world.send((await world.session()).id, 'Ask')
  await world.eventually(async () => (await world.inbox()).length === 12 && slow.posted.length === 2)
  await world.send((await world.session({ agent: 'writer' })).id, 'Ask')
  await world.eventually(async () => team.posted.length === 1)
  expect(slow.posted).toHaveLength(2)
  held.resolve()
  await world.eventually(async () => {
    pass(world, clock, 1000)
    return new Set(slow.posted.map(({ headers }) => headers['troupe-delivery'])).size === 12
  })
})
