import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { troupe } from '../called.ts'
import type { Cli } from '../cli.ts'
import { connect } from '../connect.ts'
import { type Exit, exits, Failure } from '../failure.ts'
import { note, paint, say, tell } from '../print.ts'

const WAIT_MS = 10 * 60_000

/** The browser comes back to a port of this machine on which the command waits. */
export async function login(cli: Cli, name: string, { agent }: { agent?: string }): Promise<Exit> {
  const client = await connect(cli)
  const about = { params: { name }, ...(agent !== undefined && { query: { agent } }) }
  const door = await openDoor()
  try {
    const { url, state } = await client.call('POST /api/mcp/{name}/login', {
      ...about,
      body: { redirectUrl: door.url },
    })
    note(`Open this address in your browser and say yes; this command waits for it:`)
    say(url)
    const given = await door.visit
    const code = given.get('code')
    if (given.get('state') !== state || code === null)
      throw new Failure(exits.failed, `The login was not given (${given.get('error') ?? 'no code came back'}).`, {
        hint: `Try again: ${troupe} mcp login ${name}`,
      })
    const iss = given.get('iss') ?? undefined
    const server = await client.call('POST /api/mcp/{name}/login/finish', { ...about, body: { state, code, iss } })
    tell(cli, server, () =>
      say(
        server.state === 'running'
          ? `${paint('green', '✓')} You are logged in to ${name}; it has ${server.tools.length} tools.`
          : `${paint('yellow', '!')} You are logged in to ${name}, but it is ${server.state}: ${server.reason ?? ''}`,
      ),
    )
    return exits.ok
  } finally {
    door.close()
  }
}

export async function logout(cli: Cli, name: string, { agent }: { agent?: string }): Promise<void> {
  const client = await connect(cli)
  const server = await client.call('DELETE /api/mcp/{name}/login', {
    params: { name },
    ...(agent !== undefined && { query: { agent } }),
  })
  tell(cli, server, () => say(`${paint('green', '✓')} The login to ${name} is forgotten.`))
}

/** Waits for one visit, ten minutes at most. */
async function openDoor() {
  const visit = Promise.withResolvers<URLSearchParams>()
  const server = createServer(({ url = '/' }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://127.0.0.1')
    const ours = pathname === '/callback'
    response.writeHead(ours ? 200 : 404, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' })
    response.end(ours ? 'Done. You can close this page and go back to the terminal.\n' : 'Nothing is here.\n')
    if (ours) visit.resolve(searchParams)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve)
  })
  const timer = setTimeout(
    () => visit.reject(new Failure(exits.needsHuman, 'Nobody came back from the browser within 10 minutes.')),
    WAIT_MS,
  )
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`,
    visit: visit.promise,
    close() {
      clearTimeout(timer)
      server.close().closeAllConnections()
    },
  }
}
