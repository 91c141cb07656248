import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { InboxItem } from '../../src/contract/inbox.ts'
import { createClock } from '../kit/clock.ts'
import { storesInTurn } from '../kit/database.ts'
import { openMailServer, openReceiver, type Posted } from '../kit/receivers.ts'
import { parts } from '../kit/script.ts'
import { HOUR, MINUTE, pass } from '../kit/triggers.ts'
import { createWorld, type World, type WorldOptions } from '../kit/world.ts'

const question = { name: 'ask_human', input: { question: 'Red or <b>green</b>?', options: ['red', 'green'] } }
const bash = { name: 'bash', input: { command: 'make all' } }
const publicUrl = 'https://troupe.example.org'
const everything = [{ channels: ['team'] }]
const webhook = (url: string, more = {}) => ({ type: 'webhook', url, private: true, ...more })

/** A world in which the assistant asks, and its session. */
async function asking(settings: Record<string, unknown>, more: WorldOptions = {}) {
  const world = await createWorld({ settings: { server: { publicUrl }, ...settings }, ...more })
  parts(world, {
    Choose: [{ calls: [question] }, { text: 'Chosen.' }],
    Build: [{ calls: [bash] }, { text: 'Built.' }],
  })
  return { world, session: await world.session() }
}

/** A page outside the API, without a token, as a browser asks for it under the public address. */
const open = (world: World, link: string, form?: Record<string, string>) =>
  world.call(form ? 'POST' : 'GET', new URL(link).pathname, {
    headers: {
      authorization: '',
      host: 'troupe.example.org',
      ...(form && { 'content-type': 'application/x-www-form-urlencoded', origin: publicUrl }),
    },
    ...(form && { body: new URLSearchParams(form).toString() }),
  })

const linkIn = ({ body }: Posted): string => (body as { answer: string }).answer
const posts = (receiver: { posted: Posted[] }, world: World, count: number) =>
  world.eventually(async () => receiver.posted.length >= count && receiver.posted)
const all = async (world: World) => (await world.ok<{ items: InboxItem[] }>('GET', '/api/inbox')).items

describe.each(storesInTurn(import.meta.filename))('a webhook on %s', (store) => {
  test('is told of a question, signed; looking at its link answers nothing, its form answers once, and the agent goes on', async () => {
    const receiver = await openReceiver()
    const { world, session } = await asking(
      { channels: { to: { team: webhook('$TEAM_URL') } }, routes: [{ kinds: ['question'], channels: ['team'] }] },
      { store, env: { TEAM_URL: receiver.url } },
    )
    await world.send(session.id, 'Choose')
    const [post] = await posts(receiver, world, 1)
    expect(post!.body).toMatchObject({ item: { kind: 'question', options: ['red', 'green'] } })
    const [, seconds, signed] = /^t=(\d+),v1=(\w+)$/.exec(String(post!.headers['troupe-signature'])) ?? []
    const key = readFileSync(join(world.home, 'webhook.key'), 'utf8').trim()
    expect(signed).toBe(createHmac('sha256', key).update(`${seconds}.${post!.text}`).digest('hex'))

    const link = linkIn(post!)
    expect(link.startsWith(`${publicUrl}/answer/`)).toBe(true)
    for (let times = 0; times < 3; times += 1) {
      const page = await open(world, link)
      expect(page.status).toBe(200)
      expect(page.text).toContain('Red or &#60;b&#62;green&#60;/b&#62;?')
    }
    expect((await world.inbox()).map(({ status }) => status)).toEqual(['open'])
    expect((await open(world, link, { answer: ' ' })).status).toBe(400)
    expect((await open(world, link, { answer: 'green' })).text).toContain('It is answered')
    await world.eventually(async () => (await world.look(session.id)).lastSnippet === 'Chosen.')
    expect(await world.results(session.id)).toMatchObject([{ answer: 'green' }])
    expect((await open(world, link, { answer: 'red' })).status).toBe(409)
    expect((await all(world))[0]).toMatchObject({ status: 'answered', answer: { answer: 'green' } })
  })

  test('is not believed with another code, an expired one, or one for what links may not decide', async () => {
    const clock = createClock()
    const receiver = await openReceiver()
    const { world, session } = await asking(
      { channels: { to: { team: webhook(receiver.url) } }, routes: everything },
      { store, clock },
    )
    await world.send(session.id, 'Choose')
    const link = linkIn((await posts(receiver, world, 1))[0]!)
    expect((await open(world, `${link.slice(0, -1)}${link.endsWith('0') ? '1' : '0'}`, { answer: 'x' })).status).toBe(
      401,
    )
    expect((await open(world, `${publicUrl}/answer/x`)).status).toBe(401)
    const other = await world.session()
    await world.send(other.id, 'Build')
    const [, approval] = await posts(receiver, world, 2)
    expect(approval!.body).toMatchObject({ item: { kind: 'approval' } })
    expect(approval!.body).not.toHaveProperty('answer')
    pass(world, clock, 25 * HOUR)
    expect(await open(world, link, { answer: 'red' })).toMatchObject({
      status: 409,
      text: expect.stringContaining('expired'),
    })
  })

  test('approves a call where the person said that links may, once and for nothing else', async () => {
    const receiver = await openReceiver()
    const { world, session } = await asking(
      { channels: { to: { team: webhook(receiver.url) }, approvals: true }, routes: everything },
      { store },
    )
    await world.send(session.id, 'Build')
    const link = linkIn((await posts(receiver, world, 1))[0]!)
    expect((await open(world, link, { decision: 'always' })).status).toBe(400)
    expect((await open(world, link, { decision: 'deny' })).status).toBe(200)
    await world.eventually(async () => (await world.look(session.id)).lastSnippet === 'Built.')
    expect(await world.results(session.id)).toEqual([expect.stringContaining('Denied by the person')])
  })

  test('that is dead holds up nobody, is tried again for hours, then told of once', async () => {
    const clock = createClock()
    const receiver = await openReceiver()
    receiver.status = 500
    const { world, session } = await asking(
      { channels: { to: { team: webhook(receiver.url) } }, routes: everything },
      { store, clock },
    )
    await world.send(session.id, 'Choose')
    await posts(receiver, world, 1)
    await world.reaches(session.id, 'waiting')
    for (let tries = 2; tries <= 6; tries += 1) {
      pass(world, clock, 3 * HOUR)
      await world.eventually(async () => {
        // A try that is not over yet puts the next one off by a second.
        pass(world, clock, 2000)
        return receiver.posted.length >= tries
      })
    }
    const notice = await world.eventually(async () => (await world.inbox()).find(({ kind }) => kind === 'notice'))
    expect(notice.title).toBe('The channel "team" cannot be reached')
    expect(new Set(receiver.posted.map(({ headers }) => headers['troupe-delivery'])).size).toBe(1)
    expect(await world.look(session.id)).toMatchObject({ status: 'waiting' })
  })
})

test.each([
  ['slack', (body: Record<string, unknown>) => body.text],
  [
    'discord',
    ({ content, embeds }: { content: string; embeds: { title: string }[] }) => `${content}: ${embeds[0]!.title}`,
  ],
  [
    'teams',
    (body: { attachments: { content: { body: { text: string }[] } }[] }) => body.attachments[0]!.content.body[0]!.text,
  ],
])('a webhook of %s gets the words in its own format, with a link', async (format, text) => {
  const receiver = await openReceiver()
  const { world, session } = await asking({
    channels: { to: { team: webhook(receiver.url, { format }) } },
    routes: [
      { agents: ['assistant'], channels: ['team'] },
      { agents: ['nobody'], channels: ['other'] },
    ],
  })
  await world.send(session.id, 'Choose')
  const [post] = await posts(receiver, world, 1)
  expect(text(post!.body as never)).toMatch(/^question from assistant \w+: Red or/)
  expect(post!.text).toContain(`${publicUrl}/answer/delivery_`)
})

test('mail is sent to the away channel while the person is away, by a server that wants a password', async () => {
  const clock = createClock()
  const server = await openMailServer('troupe', 'sesame-secret')
  const { world, session } = await asking(
    {
      channels: {
        to: {
          post: {
            type: 'email',
            host: '127.0.0.1',
            port: server.port,
            user: 'troupe',
            password: '$MAIL_PASSWORD',
            from: 'troupe@example.org',
            to: 'me@example.org',
          },
        },
        away: ['post'],
      },
    },
    { clock, env: { MAIL_PASSWORD: 'sesame-secret' } },
  )
  await world.send(session.id, 'Choose')
  await world.reaches(session.id, 'waiting')
  const until = new Date(clock.at + 60 * MINUTE).toISOString()
  await world.ok('POST', '/api/presence', { status: 'away', until })
  const other = await world.session()
  await world.send(other.id, 'Choose')
  const [mail] = await world.eventually(async () => server.mails.length > 0 && server.mails)
  expect(mail).toMatchObject({ from: 'troupe@example.org', to: ['me@example.org'] })
  expect(mail!.text).toMatch(/Subject: question from assistant/)
  expect(mail!.text.replaceAll('=\r\n', '')).toContain(`${publicUrl}/answer/delivery_`)
  expect(server.mails).toHaveLength(1)
})
