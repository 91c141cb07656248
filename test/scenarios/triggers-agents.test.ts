import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Trigger } from '../../src/contract/triggers.ts'
import { cast } from '../kit/cast.ts'
import { createClock } from '../kit/clock.ts'
import { storesInTurn } from '../kit/database.ts'
import { putFile } from '../kit/files.ts'
import { atRest, heard, mails } from '../kit/records.ts'
import { playedBy } from '../kit/script.ts'
import { fires, firesOf, HOUR, MINUTE, passAndSettle, say, settled, trigger } from '../kit/triggers.ts'
import { createWorld, type World } from '../kit/world.ts'

const schedule = (input: Record<string, unknown>) => ({ name: 'schedule', input })
const wake = (message: string, more: Record<string, unknown> = {}) =>
  schedule({ type: 'delayed', config: { delaySeconds: 120 }, action: { type: 'send', message }, ...more })

const triggers = async (world: World): Promise<Trigger[]> =>
  (await world.ok<{ items: Trigger[] }>('GET', '/api/triggers')).items

describe.each(storesInTurn(import.meta.filename))('a trigger that an agent makes, on %s', (store) => {
  const start = async (files = cast('ann', 'ben')) => {
    const clock = createClock()
    const world = await createWorld({ store, clock, files })
    return { world, clock }
  }

  test('wakes its maker and goes on with its chain', async () => {
    const { world, clock } = await start()
    const often = { type: 'heartbeat', config: { intervalSeconds: 60 } }
    world.vendor.queue(
      { model: 'ann' },
      { calls: [wake('Look again'), schedule({ ...often, action: { type: 'send', message: 'Beat' } })] },
      { text: 'Set up.' },
      { text: 'Looked.' },
    )
    const ann = await world.session({ agent: 'ann' })
    await world.say(ann.id, 'Watch it')
    const made = await triggers(world)
    expect(made.map(({ madeBy, maxFires, ownerSessionId }) => [madeBy, maxFires, ownerSessionId])).toEqual(
      Array(2).fill(['agent', 20, ann.id]),
    )
    await passAndSettle(world, clock, 2 * MINUTE)
    await atRest(world)
    expect(await heard(world, ann)).toContain('Look again')
    const [first, second] = (await mails(world)).toSorted((a, b) => a.hops - b.hops)
    expect([second!.chain_id, second!.hops, second!.from_kind]).toEqual([first!.chain_id, 1, 'trigger'])
    const marked = JSON.stringify(world.vendor.requests.at(-1))
    expect(marked).toMatch(new RegExp(`\\[message from trigger of ann ${ann.handle}\\]`))
  })

  test('expires after twenty fires, unless it was to have fewer', async () => {
    const { world, clock } = await start()
    const often = { type: 'scheduled', config: { cron: '* * * * *' }, action: { type: 'send', message: 'Beat' } }
    world.vendor.queue(
      { model: 'ann' },
      { calls: [schedule(often), schedule({ ...often, maxFires: 2 })] },
      { text: 'Set up.' },
    )
    const ann = await world.session({ agent: 'ann' })
    await world.say(ann.id, 'Watch it')
    for (let step = 0; step < 22; step += 1) await passAndSettle(world, clock, MINUTE)
    await atRest(world)
    const found = (await triggers(world)).toSorted((a, b) => a.fires - b.fires)
    expect(found.map(({ status, fires: count }) => [status, count])).toEqual([
      ['expired', 2],
      ['expired', 20],
    ])
    expect((await fires(world, found[1]!.id)).map(({ outcome }) => outcome)).toEqual(Array(20).fill('fired'))
  })

  test('is judged again when it fires: what its maker may no longer do is skipped, and the reason is there', async () => {
    const { world, clock } = await start()
    world.vendor.queue({ model: 'ann' }, { calls: [wake('Dig', { to: 'ben' })] }, { text: 'Set up.' })
    const ann = await world.session({ agent: 'ann' })
    await world.say(ann.id, 'Have it dug later')
    const [made] = await triggers(world)
    for (const [path, text] of Object.entries(cast({ ann: { agents: { deny: ['ben'] } } }, 'ben')))
      putFile(join(world.project, path), text)
    await passAndSettle(world, clock, 2 * MINUTE)
    await atRest(world)
    expect(await firesOf(world, made!.id, 1)).toMatchObject([
      { outcome: 'skipped', reason: expect.stringContaining('ben') },
    ])
    expect(world.vendor.requests.some((one) => playedBy(one) === 'ben')).toBe(false)
  })

  test('is refused when it would come too often or reach whom its maker may not', async () => {
    const { world } = await start(cast({ ann: { agents: { deny: ['ben'] } } }, 'ben'))
    const beat = (config: Record<string, unknown>, action: Record<string, unknown>, more = {}) =>
      schedule({ type: 'heartbeat', config, action, ...more })
    const self = { type: 'send', message: 'Hi' }
    world.vendor.queue(
      { model: 'ann' },
      {
        calls: [
          beat({ intervalSeconds: 30 }, self),
          beat({ intervalSeconds: 60, onlyIf: [] }, self),
          schedule({ type: 'scheduled', config: { cron: '*/30 * * * * *' }, action: self }),
          schedule({ type: 'scheduled', config: { cron: '0 9 * * *' }, action: self, to: 'ben' }),
          schedule({ type: 'scheduled', config: { cron: '0 9 * * *' }, action: self, to: 'human' }),
          schedule({ type: 'scheduled', config: {}, action: self }),
          schedule({
            type: 'on_event',
            config: { pattern: 'message.*' },
            action: { type: 'create_task', agent: 'ben', prompt: 'x' },
          }),
        ],
      },
      { text: 'Well.' },
    )
    const ann = await world.session({ agent: 'ann' })
    await world.say(ann.id, 'Try')
    expect(await world.results(ann.id)).toEqual([
      expect.stringContaining('config.intervalSeconds: 60 is the least'),
      expect.stringContaining('config.onlyIf'),
      expect.stringContaining('more often than every 60 s'),
      expect.stringMatching(/ben/),
      expect.stringContaining('not to the person'),
      expect.stringContaining('config.cron'),
      expect.stringMatching(/ben/),
    ])
    expect(await triggers(world)).toEqual([])
  })

  test('is listed and canceled by its maker only, and stops when its maker is deleted', async () => {
    const { world, clock } = await start()
    world.vendor.script((request) => {
      const made = request.messages.filter(({ role }) => role === 'assistant').length
      if (playedBy(request) === 'ben') {
        const none = { name: 'cancel_trigger', input: { triggerId: 'trigger_000000000000000000000000' } }
        return made === 0 ? { calls: [none] } : { text: 'No.' }
      }
      if (made === 0) return { calls: [wake('One'), wake('Two')] }
      const [first] = JSON.stringify(request.messages).match(/trigger_[0-9a-f]{24}/g) ?? []
      const cancel = { name: 'cancel_trigger', input: { triggerId: first } }
      return made === 1 ? { calls: [cancel, { name: 'list_triggers', input: {} }] } : { text: 'Done.' }
    })
    const ann = await world.session({ agent: 'ann' })
    await world.say(ann.id, 'Set up two')
    const [, , canceled, listed] = await world.results(ann.id)
    expect(canceled).toBe('It is canceled.')
    expect(JSON.stringify(listed)).toContain('"expired"')
    const ben = await world.session({ agent: 'ben' })
    await world.say(ben.id, 'Cancel them')
    expect(await world.results(ben.id)).toEqual([expect.stringContaining('You have scheduled no')])
    await world.ok('DELETE', `/api/sessions/${ann.id}`)
    expect((await triggers(world)).map(({ status, reason }) => [status, reason]).toSorted()).toEqual([
      ['expired', 'Canceled by its maker.'],
      ['paused', 'The session that made it was deleted.'],
    ])
    await passAndSettle(world, clock, HOUR)
    expect((await mails(world)).filter(({ from_kind }) => from_kind === 'trigger')).toEqual([])
  })

  test('hears only of its own session, its children and its tasks', async () => {
    const { world } = await start()
    const on = { type: 'on_event', config: { pattern: 'turn.ended' } }
    world.vendor.queue(
      { model: 'ann' },
      { calls: [schedule({ ...on, action: { type: 'send', message: 'Over' } })] },
      { text: 'Set.' },
    )
    const ann = await world.session({ agent: 'ann' })
    const ben = await world.session({ agent: 'ben' })
    await world.say(ann.id, 'Set it up')
    const [made] = await triggers(world)
    await firesOf(world, made!.id, 1)
    await atRest(world)
    await world.say(ben.id, 'Work')
    await atRest(world)
    await settled(world)
    const position = (seq: string | undefined): string => seq?.split('~')[0] ?? ''
    const others = new Set((await world.events(ben.id)).map(({ seq }) => position(seq)))
    const heardOf = (await fires(world, made!.id)).map(({ eventSeq }) => position(eventSeq))
    expect(heardOf.length).toBeGreaterThan(0)
    expect(heardOf.filter((seq) => others.has(seq))).toEqual([])
  })
})

describe('a webhook', () => {
  test('is signed, is called again until it is answered, and holds up nobody', async () => {
    const clock = createClock()
    const world = await createWorld({ clock, files: cast('ann') })
    const hook = await receiver([500, 200])
    const made = await trigger(world, {
      type: 'delayed',
      config: { delaySeconds: 1 },
      action: { type: 'webhook', url: hook.url, private: true },
    })
    await passAndSettle(world, clock, 1000)
    await world.eventually(async () => hook.calls.length === 1)
    expect((await firesOf(world, made.id, 1))[0]).toMatchObject({ outcome: 'fired', delivery: 'pending' })
    await world.eventually(async () => (await fires(world, made.id))[0]!.reason === 'It answered with 500.')
    await passAndSettle(world, clock, 30_000)
    await world.eventually(async () => (await fires(world, made.id))[0]!.delivery === 'done')
    const [first, second] = hook.calls
    expect(first!.headers['troupe-fire']).toBe(second!.headers['troupe-fire'])
    expect(JSON.parse(second!.body)).toMatchObject({ trigger: { id: made.id }, fire: { attempt: 2 } })
    const [, seconds, signature] = /^t=(\d+),v1=(\w+)$/.exec(String(second!.headers['troupe-signature']))!
    const key = readFileSync(join(world.home, 'webhook.key'), 'utf8').trim()
    expect(signature).toBe(createHmac('sha256', key).update(`${seconds}.${second!.body}`).digest('hex'))
    await passAndSettle(world, clock, 24 * HOUR)
    expect(hook.calls).toHaveLength(2)
  })

  test('waits its turn where eight are under way, and each is called once', async () => {
    const clock = createClock()
    const world = await createWorld({ clock, files: cast('ann') })
    const gate = Promise.withResolvers<void>()
    const hook = await receiver([], gate.promise)
    const action = { type: 'webhook', url: hook.url, private: true }
    for (let made = 0; made < 12; made += 1)
      await trigger(world, { type: 'delayed', config: { delaySeconds: 1 }, action })
    await passAndSettle(world, clock, 1000)
    const attempts = async () =>
      (await world.server.core.store.read.selectFrom('trigger_fires').select(['attempts', 'delivery']).execute())
        .map((fire) => `${fire.attempts} ${fire.delivery}`)
        .toSorted()
    expect(await attempts()).toEqual([...Array(4).fill('0 pending'), ...Array(8).fill('1 pending')])
    gate.resolve()
    await world.eventually(async () => (await attempts()).filter((one) => one === '1 done').length === 8)
    await passAndSettle(world, clock, 1000)
    await world.eventually(async () => (await attempts()).every((one) => one === '1 done'))
    expect(new Set(hook.calls.map(({ headers }) => headers['troupe-fire'])).size).toBe(12)
    expect(hook.calls).toHaveLength(12)
  })

  test('is given up when its trigger is to do something else', async () => {
    const clock = createClock()
    const world = await createWorld({ clock, files: cast('ann') })
    const hook = await receiver([500])
    const action = { type: 'webhook', url: hook.url, private: true }
    const { id } = await trigger(world, { type: 'delayed', config: { delaySeconds: 1 }, action })
    await passAndSettle(world, clock, 1000)
    await world.eventually(async () => (await fires(world, id))[0]?.reason === 'It answered with 500.')
    await world.ok('PATCH', `/api/triggers/${id}`, { action: say('ann', 'Hi') })
    await passAndSettle(world, clock, 30_000)
    expect(await fires(world, id)).toMatchObject([
      { delivery: 'failed', reason: expect.stringContaining('another action') },
    ])
    await passAndSettle(world, clock, 24 * HOUR)
    expect(hook.calls).toHaveLength(1)
  })

  test('that is never answered is given up after six tries, and the person is told; others fire meanwhile', async () => {
    const clock = createClock()
    const world = await createWorld({ clock, files: cast('ann') })
    const hook = await receiver(Array(10).fill(503))
    const action = { type: 'webhook', url: hook.url, private: true }
    const made = await trigger(world, { type: 'delayed', config: { delaySeconds: 1 }, action, name: 'dead' })
    const other = await trigger(world, { type: 'delayed', config: { delaySeconds: 60 }, action: say('ann', 'Hi') })
    for (const [index, wait] of [1, 30, 120, 600, 1800, 7200].entries()) {
      await passAndSettle(world, clock, wait * 1000)
      await world.eventually(async () => hook.calls.length === index + 1)
      const told = index === 5 ? 'failed' : 'pending'
      await world.eventually(async () => {
        const [fire] = await fires(world, made.id)
        return fire?.attempts === index + 1 && fire.reason !== undefined && fire.delivery === told
      })
    }
    expect(await fires(world, other.id)).toHaveLength(1)
    expect((await world.inbox()).map(({ title }) => title)).toEqual(['Trigger dead: its webhook failed'])
    await passAndSettle(world, clock, 24 * HOUR)
    expect(hook.calls).toHaveLength(6)
  })

  test('to an address of this machine or its network is not called unless a person says so, and never the server itself', async () => {
    const clock = createClock()
    const world = await createWorld({ clock, files: cast('ann') })
    const hook = await receiver([200])
    const at = (url: string, more = {}) =>
      trigger(world, { type: 'delayed', config: { delaySeconds: 1 }, action: { type: 'webhook', url, ...more } })
    const shut = await at(hook.url)
    const own = await at(`${world.server.url}/api/shutdown`, { private: true })
    await passAndSettle(world, clock, 1000)
    for (const { id } of [shut, own]) {
      const fire = await world.eventually(async () =>
        (await fires(world, id)).find(({ reason }) => reason !== undefined),
      )
      expect(fire.reason).toMatch(/Not permitted|is the server that runs you/)
    }
    expect(hook.calls).toEqual([])
  })
})

/** Answers each call with the next of these, and keeps what it was told. */
async function receiver(statuses: readonly number[], until?: Promise<void>) {
  const calls: { headers: IncomingMessage['headers']; body: string }[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const piece of request) body += piece
    const status = statuses[calls.length] ?? 200
    calls.push({ headers: request.headers, body })
    await until
    response.writeHead(status).end()
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  onTestFinished(() => void server.close())
  return { calls, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` }
}
