import { createServer } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { AccountState } from '../../src/contract/models.ts'
import type { Session } from '../../src/contract/sessions.ts'
import type { Why } from '../../src/contract/why.ts'
import { cast } from '../kit/cast.ts'
import { storesInTurn } from '../kit/database.ts'
import { troupe, troupeHears } from '../kit/program.ts'
import { providerAt } from '../kit/vendor/runtime.ts'
import { startVendor, type VendorError } from '../kit/vendor/server.ts'
import { createWorld, type World } from '../kit/world.ts'

const SESSIONS = 60
const OUTAGE_MS = 5000

const eventsOf = async (world: World, id: string, type: string) =>
  (await world.events(id)).filter((event) => event.type === type).map(({ data }) => data)

describe.each(storesInTurn(import.meta.filename))('on %s', (store) => {
  test('60 sessions wait out an outage together: few requests are made, and all of them go on by themselves', async () => {
    const world = await createWorld({ store })
    const began = performance.now()
    const isDown = () => performance.now() - began < OUTAGE_MS
    let failed = 0
    world.vendor.script(() => {
      if (!isDown()) return { text: 'Here again.' }
      failed += 1
      return { error: { kind: 'server', status: 503 } }
    })
    const sessions = await Promise.all(Array.from({ length: SESSIONS }, () => world.session()))
    const replies = await Promise.all(sessions.map(({ id }) => world.say(id, 'Hello', { wait: 60 })))
    expect(replies.map(({ end, reply }) => [end, reply])).toEqual(sessions.map(() => ['done', 'Here again.']))
    // The first wave, and then one at a time, less and less often.
    expect(failed).toBeLessThan(20)
    expect(world.vendor.requests.length).toBe(SESSIONS + failed)
  })
})

test('a server that cannot be reached is waited for, and why, the accounts and the record say since when', async () => {
  const vendor = await startVendor()
  const port = Number(new URL(vendor.url).port)
  await vendor.close()
  const providers = { lab: providerAt(vendor, 'openai-compatible') }
  const world = await createWorld({ settings: { providers }, env: { LAB_KEY: 'key-0123456789' } })
  const first = await world.session()
  const mail = await world.send(first.id, 'Hello')
  const [retried] = await world.eventually(async () => {
    const seen = await eventsOf(world, first.id, 'model.retried')
    return seen.length > 0 && seen
  })
  expect(retried).toMatchObject({ attempt: 1, reason: expect.stringContaining('(ECONNREFUSED). Check that it runs') })
  const second = await world.session()
  const later = await world.send(second.id, 'Hello')
  const closed = await world.eventually(async () => {
    const { items } = await world.ok<{ items: AccountState[] }>('GET', '/api/accounts')
    return items.find(({ closedSince, waiting }) => closedSince !== undefined && waiting > 0)
  })
  expect(closed).toMatchObject({ provider: 'lab', usable: true, reason: expect.stringContaining('cannot be reached') })
  const why = await world.eventually(async () => {
    const seen = await world.ok<Why>('GET', `/api/why/${second.id}`)
    return seen.wakes.by === 'time' && seen
  })
  expect(why.text).toContain('pauses before it asks lab/test-model again')
  expect(why.waitsOn[0]?.label).toContain('cannot be reached')
  expect(Date.parse(why.since)).toBe(Date.parse(closed.closedSince!))
  const back = await startVendor({ port })
  onTestFinished(() => back.close())
  for (const { mailId } of [mail, later]) expect(await world.settled(mailId)).toMatchObject({ end: 'done' })
})

describe('while one account is closed', () => {
  const accounts = ['one', 'two'].map((name) => ({ name, apiKey: `key-of-${name}-0123456789` }))
  const limit: VendorError = { kind: 'rate-limit', retryAfter: 300 }
  const twoAccounts = async (files: Record<string, string> = {}) => {
    const vendor = await startVendor()
    onTestFinished(() => vendor.close())
    const { apiKey: _, ...lab } = providerAt(vendor, 'openai-compatible')
    const providers = { lab: { ...lab, accounts }, spare: providerAt(vendor, 'anthropic') }
    const world = await createWorld({ settings: { providers }, files, env: { LAB_KEY: 'key-of-spare-0123456789' } })
    return { world, vendor }
  }

  test('another of the same model is asked at once, by those who come later without asking the first', async () => {
    const { world, vendor } = await twoAccounts()
    vendor.script(({ key }) => (key.includes('one') ? { error: limit } : { text: 'From two.' }))
    for (let n = 0; n < 3; n++) {
      const { id } = await world.session()
      expect(await world.say(id, 'Hello')).toMatchObject({ end: 'done', reply: 'From two.' })
    }
    expect(vendor.requests.map(({ key }) => key.slice(7, 10))).toEqual(['one', 'two', 'two', 'two'])
  })

  test('and all of its model are, the next model is asked at once when the wait is long', async () => {
    const agents = cast({ ann: { model: 'lab/test-model', fallbackModels: ['spare/m'], description: 'Asks.' } })
    const { world, vendor } = await twoAccounts(agents)
    vendor.script(({ protocol }) => (protocol === 'openai' ? { error: limit } : { text: 'From the spare.' }))
    const { id } = await world.session({ agent: 'ann' })
    expect(await world.say(id, 'Hello')).toMatchObject({ end: 'done', reply: 'From the spare.' })
    expect((await eventsOf(world, id, 'model.switched')).map(({ to }) => to)).toEqual([
      'lab/test-model (two)',
      'spare/m',
    ])
  })
})

test('one who comes to a closed account is told what it waits for, and until when: in the chat too', async () => {
  const world = await createWorld()
  world.vendor.reply({ error: { kind: 'rate-limit', retryAfter: 600 } })
  const first = await world.session()
  await world.send(first.id, 'Hello')
  await world.eventually(async () => (await eventsOf(world, first.id, 'model.retried')).length > 0)
  expect(await troupe(world, 'accounts')).toMatch(/lab +default +in \d+ min +1 +lab is limiting how many requests/)
  const said = troupeHears(world, 'Hello', 'chat', '--new')
  const [second, queued] = await world.eventually(async () => {
    const { items } = await world.ok<{ items: Session[] }>('GET', '/api/sessions')
    const other = items.find(({ id }) => id !== first.id)
    const [event] = other ? await eventsOf(world, other.id, 'model.queued') : []
    return other && event && ([other, event] as const)
  })
  expect(queued).toEqual({
    model: 'lab/test-model',
    reason: expect.stringContaining('limiting how many requests'),
    since: expect.any(String),
    until: expect.any(String),
  })
  for (const { id } of [first, second]) await world.ok('POST', `/api/sessions/${id}/cancel`)
  expect(await said).toMatch(/lab\/test-model is asked in \d+ s: lab is limiting how many requests/)
})

test('one request that fails again and again disturbs no other, and is given up on', async () => {
  const world = await createWorld()
  // It fails after somebody else was answered: when that one is followed by the next, its answer has come.
  let waiting: { served: number; fail: () => void }[] = []
  world.vendor.script(() => {
    for (const one of waiting) if (++one.served === 2) one.fail()
    return { text: 'Well.' }
  })
  world.vendor.script(
    () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting = [{ served: 0, fail: resolve }]
      return { error: { kind: 'server' }, delay: promise }
    },
    { word: 'poison' },
  )
  const ill = await world.session()
  const mail = await world.send(ill.id, 'poison')
  let ended = false
  const over = world.settled(mail.mailId).finally(() => {
    ended = true
  })
  // Somebody else is answered all the time.
  while (!ended) expect(await world.say((await world.session()).id, 'Hello')).toMatchObject({ end: 'done' })
  expect(await over).toMatchObject({ end: 'error', reason: expect.stringContaining('internal error') })
  expect(world.vendor.requests.filter(({ lastUserText }) => lastUserText.includes('poison'))).toHaveLength(5)
})

test('a turn whose time is over while it waits says what it waited for', async () => {
  const world = await createWorld({ settings: { limits: { maxDurationSeconds: 3 } } })
  world.vendor.script(() => ({ error: { kind: 'server' } }))
  const { id } = await world.session()
  const reply = await world.say(id, 'Hello')
  expect(reply.end).toBe('limit')
  expect(reply.reason).toMatch(
    /limit of 3 s of work .* It was waiting for its model: lab failed with an internal error/,
  )
})

test('a web page in place of an answer is told as such, and not asked for again', async () => {
  let asked = 0
  const proxy = createServer((_, response) => {
    asked += 1
    response.writeHead(200, { 'content-type': 'text/html' }).end('<html><title>Log in</title></html>')
  })
  await new Promise<void>((resolve) => void proxy.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void proxy.close().closeAllConnections())
  const address = proxy.address() as { port: number }
  const world = await createWorld({ provider: { baseURL: `http://127.0.0.1:${address.port}/v1` } })
  const { id } = await world.session()
  const reply = await world.say(id, 'Hello')
  expect(reply).toMatchObject({ end: 'error', reason: expect.stringMatching(/answered with a web page.*HTTP_PROXY/) })
  expect(asked).toBe(1)
})
