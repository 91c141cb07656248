import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { expect, test } from 'vitest'
import type { Reply } from '../../src/contract/api.ts'
import type { Session } from '../../src/contract/sessions.ts'
import type { Why } from '../../src/contract/why.ts'
import { putFile } from '../kit/files.ts'
import { eventually } from '../kit/processes.ts'
import { type FaultPlace, inPlace } from './place.ts'
import { readRows } from './rows.ts'
import type { Address, Launched } from './server.ts'

const SECONDS = 60
const LONGEST_MS = 180_000

/** Two servers, each with a data folder of its own, on one database. The second has no provider of the first. */
test('a server leaves to others what only they can run, and says which of them is away', { timeout: LONGEST_MS }, () =>
  inPlace('postgres', async (place) => {
    for (const name of ['mover', 'guest']) {
      putFile(join(place.home, 'agents', name, 'agent.json'), { model: 'lab/test-model', workspace: { shared: true } })
    }
    let answers = false
    const asked = new Set<string>()
    place.vendor.script(({ lastUserText }) => {
      const [who] = /\w+$/.exec(lastUserText)!
      asked.add(who)
      return answers ? { text: `${who} is done.` } : { text: 'Wait', hang: true }
    })
    const first = await started(place.launch())
    const other = join(place.home, '..', 'other')
    mkdirSync(other)
    writeFileSync(join(other, 'settings.json'), '{}')
    const second = await started(place.launch({ TROUPE_HOME: other }))
    // The one that moves has a definition on both hosts, but a model on the first only; the guest is unknown to the second.
    cpSync(join(place.home, 'agents', 'mover'), join(other, 'agents', 'mover'), { recursive: true })

    const ids: Record<string, string> = {}
    for (const agent of ['assistant', 'mover', 'guest', 'canceled']) {
      ids[agent] = (
        await post<Session>(first, '/api/sessions', { agent: agent === 'canceled' ? 'assistant' : agent })
      ).id
      await post(first, `/api/sessions/${ids[agent]}/messages`, { content: agent })
    }
    await eventually(() => (asked.size === 4 ? true : undefined), SECONDS)
    first.server.signal('SIGKILL')
    await first.server.exited
    await longUnseen(place)
    // The second looks at what the first has left as soon as the leases have run out.
    await says(
      second,
      ids.assistant!,
      /which is away since .*\n.*only it can run this session: Its workspace is there\./,
    )
    await says(second, ids.assistant!, /troupe up --detach {3}\(start its server, on that machine\)/)
    await says(second, ids.mover!, /only it can run this session: .*"lab"/)
    await says(second, ids.guest!, /only it can run this session: .*"guest"/)

    // What is to be stopped needs neither a folder nor a model.
    await post(second, `/api/sessions/${ids.canceled}/cancel`, {})
    await reaches(second, ids.canceled!, 'idle')
    for (const name of ['assistant', 'mover', 'guest'] as const) {
      expect(await get<Session>(second, `/api/sessions/${ids[name]}`)).toMatchObject({ status: 'running' })
    }

    // It took them up and handed them back: nobody holds them.
    await eventually(async () => {
      const { sessions } = await readRows(place)
      const left = sessions.filter(({ id, lease_owner }) => [ids.mover, ids.guest].includes(id) && lease_owner === null)
      return left.length === 2 ? true : undefined
    }, SECONDS)

    // With the provider the second can run what moves; what has its folder on the first still waits for that.
    answers = true
    cpSync(join(place.home, 'settings.json'), join(other, 'settings.json'))
    await reaches(second, ids.mover!, 'idle')
    expect((await get<Session>(second, `/api/sessions/${ids.assistant}`)).status).toBe('running')
    const again = await started(place.launch())
    for (const name of ['assistant', 'guest']) await reaches(again, ids[name]!, 'idle')
    expect(await get<{ items: Reply[] }>(again, '/api/inbox?status=open')).toMatchObject({ items: [] })
  }),
)

interface Running extends Address {
  readonly server: Launched
}

async function started(server: Launched): Promise<Running> {
  const address = await server.ready
  if (address === undefined) throw new Error((await server.exited).stderr)
  return { ...address, server }
}

/** Makes a host that is gone one that was last seen long ago. */
async function longUnseen({ databaseUrl, home }: FaultPlace): Promise<void> {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  const { rowCount } = await client.query('update hosts set seen_at = seen_at - 60000 where id = $1', [
    readFileSync(join(home, 'host'), 'utf8').trim(),
  ])
  await client.end()
  expect(rowCount).toBe(1)
}

const headersOf = ({ token }: Address) => ({ authorization: `Bearer ${token}`, 'content-type': 'application/json' })

async function ask<T>(address: Address, path: string, init: RequestInit): Promise<T> {
  const response = await fetch(`${address.url}${path}`, { ...init, headers: headersOf(address) })
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`)
  return (await response.json()) as T
}

const get = <T>(address: Address, path: string): Promise<T> => ask(address, path, {})
const post = <T>(address: Address, path: string, body: unknown): Promise<T> =>
  ask(address, path, { method: 'POST', body: JSON.stringify(body) })

const says = (address: Address, id: string, words: RegExp): Promise<unknown> =>
  eventually(async () => (words.test((await get<Why>(address, `/api/why/${id}`)).text) ? true : undefined), SECONDS)

const reaches = (address: Address, id: string, status: string): Promise<unknown> =>
  eventually(
    async () => ((await get<Session>(address, `/api/sessions/${id}`)).status === status ? true : undefined),
    SECONDS,
  )
