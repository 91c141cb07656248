import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { cast } from '../kit/cast.ts'
import { providerAt } from '../kit/vendor/runtime.ts'
import { startVendor, type Vendor } from '../kit/vendor/server.ts'
import { createWorld, type World } from '../kit/world.ts'

const accounts = [
  { name: 'work', apiKey: '$WORK_KEY' },
  { name: 'spare', apiKey: 'key-of-spare-0123456789' },
]
const env = { WORK_KEY: 'key-of-work-0123456789', LAB_KEY: 'key-of-lab-0123456789' }

async function chained(): Promise<{ world: World; vendor: Vendor; agent: string }> {
  const vendor = await startVendor()
  const { apiKey: _, ...claude } = providerAt(vendor, 'anthropic')
  const providers = {
    claude: { ...claude, accounts },
    gemini: providerAt(vendor, 'google'),
    broken: { type: 'openai', apiKey: '$NOT_SET' },
  }
  const files = cast({
    relay: { model: 'claude/opus', fallbackModels: ['broken/m', 'gemini/flash'], description: 'Relays.' },
    hopeful: { model: 'broken/m', fallbackModels: ['gemini/flash'], description: 'Hopes.' },
  })
  const world = await createWorld({ settings: { providers }, env, files })
  return { world, vendor, agent: 'relay' }
}

const switches = async (world: World, id: string) =>
  (await world.events(id)).filter(({ type }) => type === 'model.switched').map(({ data }) => data)

describe('the chain of accounts and models', () => {
  test('an account without credit hands over to the next one of its provider, visibly, and is tried last after that', async () => {
    const { world, vendor, agent } = await chained()
    vendor.script((request) =>
      request.key.includes('work') ? { error: { kind: 'broke' } } : { text: 'From the spare.' },
    )
    const session = await world.session({ agent })
    expect(await world.say(session.id, 'hello')).toMatchObject({ end: 'done', reply: 'From the spare.' })
    expect(await switches(world, session.id)).toEqual([
      { from: 'claude/opus (work)', to: 'claude/opus (spare)', reason: expect.stringContaining('no credit') },
    ])
    await world.say(session.id, 'again')
    expect(vendor.requests.map(({ key }) => key.slice(7, 12))).toEqual(['work-', 'spare', 'spare'])
    const listed = (await world.request<{ items: object[] }>('GET', '/api/accounts')).body.items
    expect(listed).toMatchObject([
      { provider: 'claude', name: 'work', usable: true, exhaustedUntil: expect.any(String), waiting: 0 },
      { provider: 'claude', name: 'spare', usable: true },
      { provider: 'gemini', name: 'default', usable: true },
      { provider: 'broken', name: 'default', usable: false, reason: expect.stringContaining('$NOT_SET') },
    ])
    expect(JSON.stringify(listed)).not.toMatch(/key-of|0123456789/)
    await vendor.close()
  })

  test('an account that failed in a turn is tried last in the steps after, whatever it failed with', async () => {
    const { world, vendor, agent } = await chained()
    writeFileSync(join(world.project, 'a.txt'), 'alpha\n')
    // Says nothing about the account as such: the queue of the account forgets it at once.
    vendor.script(({ key, messages }) => {
      if (key.includes('work')) return { error: { kind: 'not-found' } }
      return messages.at(-1)?.role === 'tool'
        ? { text: 'Read.' }
        : { calls: [{ name: 'read_file', input: { path: 'a.txt' } }] }
    })
    const session = await world.session({ agent })
    expect(await world.say(session.id, 'read it')).toMatchObject({ end: 'done', reply: 'Read.' })
    expect(vendor.requests.map(({ key }) => key.slice(7, 12))).toEqual(['work-', 'spare', 'spare'])
    await vendor.close()
  })

  test('when no account of a model can, the next model goes on with the whole history: calls, thoughts and all', async () => {
    const { world, vendor, agent } = await chained()
    writeFileSync(join(world.project, 'a.txt'), 'alpha\n')
    vendor.script((request) => {
      if (request.protocol === 'google') return { text: 'Gemini goes on.' }
      const begun = request.messages.some(({ role }) => role === 'assistant')
      if (begun) return { error: { kind: 'auth' } }
      return { reasoning: 'A file.', text: 'Reading.', calls: [{ name: 'read_file', input: { path: 'a.txt' } }] }
    })
    const session = await world.session({ agent })
    expect(await world.say(session.id, 'read it')).toMatchObject({
      end: 'done',
      reply: expect.stringContaining('Gemini goes on.'),
    })
    expect((await switches(world, session.id)).map(({ to }) => to)).toEqual(['claude/opus (spare)', 'gemini/flash'])
    const seen = vendor.requests.at(-1)
    expect(seen?.protocol).toBe('google')
    expect(JSON.stringify(seen?.messages)).toContain('alpha')
    expect(seen?.messages.some(({ text, calls }) => text === 'Reading.' && calls[0]?.name === 'read_file')).toBe(true)
    const models = (await world.messages(session.id)).flatMap(({ model }) => (model ? [model] : []))
    expect(models).toEqual(['claude/opus', 'gemini/flash'])
    expect(vendor.rejections).toEqual([])
    await vendor.close()
  })

  test('what belongs to the conversation and not to the account is not tried elsewhere', async () => {
    const { world, vendor, agent } = await chained()
    vendor.script(() => ({ error: { kind: 'context' } }))
    const session = await world.session({ agent })
    expect(await world.say(session.id, 'hello')).toMatchObject({
      end: 'error',
      reason: expect.stringContaining('too long'),
    })
    expect(vendor.requests).toHaveLength(1)
    await vendor.close()
  })

  test('a model that cannot be used at all is passed over with its reason', async () => {
    const { world, vendor } = await chained()
    vendor.script(() => ({ text: 'Yes.' }))
    const session = await world.session({ agent: 'hopeful' })
    expect(await world.say(session.id, 'hello')).toMatchObject({ end: 'done', reply: 'Yes.' })
    expect(await switches(world, session.id)).toEqual([
      { from: 'broken/m', to: 'gemini/flash', reason: expect.stringContaining('$NOT_SET') },
    ])
    await vendor.close()
  })
})
