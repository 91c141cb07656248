import { lookup } from 'node:dns/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { hostname } from 'node:os'
import { expect, onTestFinished, test } from 'vitest'
import { sandboxSupport } from '../../src/lib/sandbox/sandbox.ts'
import { createWorld } from '../kit/world.ts'

/** The name of this machine, where it leads to no public address: a name that anybody may have listed. */
async function privateName(): Promise<{ name: string; address: string } | undefined> {
  const found = await lookup(hostname(), { family: 4 }).catch(() => undefined)
  return found && /^(127|10|192\.168)\./.test(found.address) ? { name: hostname(), ...found } : undefined
}

const here = await privateName()
const works = sandboxSupport(process.env, 'strict').program !== undefined

async function openCanary(address: string): Promise<{ port: number; hits(): number }> {
  let hits = 0
  const server = createServer((_, response) => {
    hits += 1
    response.end('the canary sings')
  })
  await new Promise<void>((done) => void server.listen(0, address, done))
  onTestFinished(() => void server.close().closeAllConnections())
  return { port: (server.address() as AddressInfo).port, hits: () => hits }
}

test.runIf(works && here)(
  'a command in strict reaches a listed name that is private only where its address is listed too, and the server never',
  async () => {
    const { name, address } = here!
    const [byName, byAddress] = [await openCanary(address), await openCanary(address)]
    const world = await createWorld({ settings: { sandbox: 'strict', permissions: { allow: ['bash'] } } })
    const open = [`${name}:${byName.port}`, `${name}:${byAddress.port}`, `${address}:${byAddress.port}`]
    const own = [`${name}:${world.port}`, `127.0.0.1:${world.port}`, `localhost:${world.port}`]
    for (const host of [...open, ...own])
      await world.ok('POST', '/api/permissions', { decision: 'allow', rule: `web_fetch(${host})` })
    const status = (host: string): string =>
      `curl -s -m 10 -o /dev/null -w '${host} %{http_code}\\n' http://${host}/api/health`
    world.vendor.reply(
      { calls: [{ name: 'bash', input: { command: [...open, ...own].map(status).join('; ') } }] },
      { text: 'Done.' },
    )
    const session = await world.session()
    await world.say(session.id, 'Look')
    const [output] = await world.results(session.id)
    const [first, ...others] = [...open, ...own]
    const seen = String(output).trim().split('\n').slice(0, 6)
    expect(seen).toEqual([
      `${first} 403`,
      ...others.slice(0, 2).map((host) => `${host} 200`),
      ...others.slice(2).map((host) => `${host} 403`),
    ])
    expect([byName.hits(), byAddress.hits()]).toEqual([0, 2])
  },
)
