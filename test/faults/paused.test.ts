import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { putFile } from '../kit/files.ts'
import { eventually } from '../kit/processes.ts'
import type { Reply } from '../kit/vendor/server.ts'
import { type FaultPlace, inPlace } from './place.ts'
import { readRows } from './rows.ts'
import { linesOf } from './scenario.ts'
import type { Address } from './server.ts'

const SESSIONS = 200
/** An account that has not answered yet is asked eight times at once. */
const ACCOUNTS = SESSIONS / 8
const SECONDS = 300
const LONGEST_MS = 900_000

/** What the model answers the process that is paused by then: each makes it write in another way. */
const late: readonly ((number: number) => Reply)[] = [
  (number) => ({ text: `zombie ${number}` }),
  (number) => ({ calls: [{ name: 'todo_write', input: { todos: [{ content: `zombie ${number}` }] } }] }),
  () => ({ error: { kind: 'server', message: 'zombie' } }),
  () => ({ error: { kind: 'auth', message: 'zombie' } }),
  () => ({ text: 'zombie', hang: true }),
]

/** On SQLite there is no such other: the data folder's lock is held by a process that is paused, too. */
test(
  `a process that is paused for longer than its leases writes nothing of its ${SESSIONS} turns when it goes on`,
  { timeout: LONGEST_MS },
  () =>
    inPlace('postgres', async (place) => {
      const passed = join(place.project, '..', 'passed.txt')
      const asked = new Set<number>()
      const release = Promise.withResolvers<void>()
      place.vendor.script(({ lastUserText }) => {
        const number = Number(/turn (\d+)/.exec(lastUserText)?.[1])
        if (asked.has(number)) return { text: `Alive ${number}.` }
        asked.add(number)
        return { ...late[number % late.length]!(number), delay: release.promise }
      })
      addAccounts(place)
      putFile(join(place.home, 'agents', 'assistant', 'agent.json'), { workspace: { shared: true } })
      const paused = place.launch({ TROUPE_CRASH_RECORD: passed })
      const address = (await paused.ready)!
      // One after another: how fast a server takes them is not what this is about.
      for (let number = 0; number < SESSIONS; number += 1) await begin(address, number)
      await eventually(() => (asked.size === SESSIONS ? true : undefined), SECONDS)
      paused.signal('SIGSTOP')

      const other = await anotherServer(place)
      await eventually(async () => ((await ended(place)).length === SESSIONS ? true : undefined), SECONDS, 500)
      const before = linesOf(passed).length
      const rows = await readRows(place)
      // The answers are there when it goes on, so that it writes before it can know.
      release.resolve()
      paused.signal('SIGCONT')
      const refusals = () => linesOf(passed).filter((line) => line.endsWith('.refused'))
      await eventually(() => (refusals().length >= SESSIONS ? true : undefined), SECONDS)

      expect(refusals()).toHaveLength(SESSIONS)
      const written = linesOf(passed).slice(before)
      expect(written.filter((line) => /^(turn|model)\..*commit$/.test(line))).toEqual([])
      const after = await readRows(place)
      expect(JSON.stringify(after)).not.toContain('zombie')
      expect(after.messages).toEqual(rows.messages)
      expect(after.events).toEqual(rows.events)
      expect(after.turns).toEqual(rows.turns)
      expect(after.messages.map(({ role }) => role).filter((role) => role === 'assistant')).toHaveLength(SESSIONS)
      expect(after.events.filter(({ type }) => type === 'turn.ended')).toHaveLength(SESSIONS)
      other.signal('SIGTERM')
      expect(await other.exited).toMatchObject({ code: 0 })
    }),
)

async function begin({ url, token }: Address, number: number): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const post = async (path: string, body: unknown) => {
    const response = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    if (!response.ok) throw new Error(await response.text())
    return (await response.json()) as { id: string }
  }
  const { id } = await post('/api/sessions', { agent: 'assistant', model: `lab${number % ACCOUNTS}/test-model` })
  await post(`/api/sessions/${id}/messages`, { content: `turn ${number}` })
}

function addAccounts({ home }: FaultPlace): void {
  const file = join(home, 'settings.json')
  const settings = JSON.parse(readFileSync(file, 'utf8'))
  for (let at = 0; at < ACCOUNTS; at += 1) settings.providers[`lab${at}`] = settings.providers.lab
  writeFileSync(file, JSON.stringify(settings))
}

/** With a data folder of its own, on the same database. */
async function anotherServer(place: FaultPlace) {
  const home = join(place.home, '..', 'other')
  mkdirSync(home)
  for (const each of ['settings.json', 'agents']) cpSync(join(place.home, each), join(home, each), { recursive: true })
  const server = place.launch({ TROUPE_HOME: home })
  if ((await server.ready) === undefined) throw new Error((await server.exited).stderr)
  return server
}

const ended = async (place: FaultPlace) => (await readRows(place)).turns.filter(({ ended_at }) => ended_at !== null)
