import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { protocols, providerAt } from '../kit/vendor/runtime.ts'
import { startVendor, type VendorError } from '../kit/vendor/server.ts'
import { createWorld, type World } from '../kit/world.ts'

const canary = {
  env: 'canary-env-4f7a1c9e2b',
  literal: 'canary-literal-8d3e5b7a1f',
  account: 'canary-account-2c6f9d4e8b',
  header: 'canary-header-7b1d3f5a9c',
  anthropic: 'canary-anthropic-5e2a8c4f6d',
}
const kinds: VendorError['kind'][] = [
  'rate-limit',
  'overloaded',
  'server',
  'auth',
  'bad-request',
  'context',
  'not-found',
  'broke',
  'policy',
]

test('keys are in no event, message, log, error, answer or child process', async () => {
  const vendor = await startVendor()
  const providers: Record<string, unknown> = {}
  for (const protocol of protocols) {
    for (const kind of kinds) {
      providers[`${protocol}-${kind}`] = providerAt(vendor, protocol, {
        apiKey: kind === 'auth' ? canary.literal : '$LAB_KEY',
        outageSeconds: 60,
        headers: { 'x-team': canary.header },
        accounts: [{ name: 'second', apiKey: canary.account }],
      })
    }
  }
  // The worst vendor: whatever goes wrong, it repeats every key it knows of.
  const spoken = Object.values(canary).join(' ')
  vendor.script((request) => {
    const kind = request.model as VendorError['kind']
    return {
      error: { kind, message: `${kind} went wrong: ${spoken}`, ...(kind === 'rate-limit' ? { retryAfter: 400 } : {}) },
    }
  })
  vendor.script(() => ({ calls: [{ name: 'bash', input: { command: 'env; set; cat /proc/self/environ' } }] }), {
    model: 'shell',
  })
  const env = { LAB_KEY: canary.env, ANTHROPIC_API_KEY: canary.anthropic }
  const world = await createWorld({ settings: { providers, permissions: { allow: ['bash'] } }, env })

  const names = protocols.flatMap((protocol) =>
    // Those that are made again are waited for elsewhere.
    kinds.filter((kind) => kind !== 'server' && kind !== 'overloaded').map((kind) => `${protocol}-${kind}/${kind}`),
  )
  await Promise.all(
    names.map(async (model) => {
      const session = await world.session({ model })
      expect((await world.say(session.id, 'hello', { wait: 60 })).end).toBe('error')
    }),
  )
  const shell = await world.session({ agent: 'coder', model: 'openai-compatible-auth/shell' })
  await world.say(shell.id, 'look around', { wait: 10 })
  const ran = JSON.stringify(await world.messages(shell.id))
  expect(ran).toContain('PATH=')

  const answers = await everyAnswer(world)
  for (const [name, value] of Object.entries(canary)) {
    const found = [...answers, ...filesIn(world.home)].filter(({ text }) => text.includes(value))
    expect([name, found.map(({ where }) => where)]).toEqual([name, []])
  }
  await vendor.close()
})

async function everyAnswer(world: World): Promise<{ where: string; text: string }[]> {
  const { body } = await world.request<{ items: { id: string }[] }>('GET', '/api/sessions?limit=200')
  const paths = [
    ...['models', 'accounts', 'settings', 'status', 'cost', 'events?limit=200', 'inbox', 'openapi.json'],
    ...body.items.flatMap(({ id }) =>
      ['', '/messages', '/prompt', '/tools', '/export'].map((part) => `sessions/${id}${part}`),
    ),
  ]
  return Promise.all(
    paths.map(async (where) => ({ where, text: JSON.stringify((await world.request('GET', `/api/${where}`)).body) })),
  )
}

/** The database, its journal and the logs; the settings are where a person wrote keys down. */
function filesIn(folder: string): { where: string; text: string }[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => !name.startsWith('settings') && statSync(join(folder, name)).isFile())
    .map((name) => ({ where: name, text: readFileSync(join(folder, name), 'latin1') }))
}
