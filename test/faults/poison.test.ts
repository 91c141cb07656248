import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Session } from '../../src/contract/sessions.ts'
import type { Why } from '../../src/contract/why.ts'
import { storesInTurn } from '../kit/database.ts'
import { type Client, createClient } from './client.ts'
import { startLife } from './life.ts'
import { type FaultPlace, inPlace } from './place.ts'
import { readRows } from './rows.ts'

/** Two beside others, three alone. */
const BESIDE = 2
const ATTEMPTS = BESIDE + 3
const WAITING = 20
const KILLS = 5
const KILLED = 6
const LONGEST_MS = 240_000
/** An account that has not answered yet is asked eight times at once. */
const ACCOUNTS = 4

describe.concurrent.for(storesInTurn(import.meta.filename))('on %s', (store) => {
  test(
    `of a session that kills the server and ${WAITING} that wait for a model, only the first is given up`,
    { timeout: LONGEST_MS },
    () =>
      inPlace(store, async (place) => {
        addAccounts(place)
        const life = startLife(place, { limit: ATTEMPTS })
        const client = createClient(life)
        const asked = new Map<number, Set<string>>()
        const all = Promise.withResolvers<void>()
        const said: string[] = []
        const ids: Record<string, string> = {}
        /** Who is asked in this life of the server. */
        const note = (who: string): Set<string> => {
          const now = asked.get(life.crashes) ?? new Set()
          asked.set(life.crashes, now.add(who))
          return now
        }
        place.vendor.script(async ({ lastUserText }) => {
          const who = /I am (\w+)/.exec(lastUserText)![1]!
          const here = note(who)
          if (lastUserText.includes('Once more')) return { text: 'I am well again.' }
          if (life.crashes < BESIDE) {
            // It dies only when all of them wait.
            if (here.size <= WAITING) return { text: 'Wait', hang: true }
            process.kill((await life.server()).pid, 'SIGKILL')
            return { text: 'Wait', hang: true }
          }
          if (who === 'poison') {
            process.kill((await life.server()).pid, 'SIGKILL')
            return { text: 'Dead', hang: true }
          }
          if (who !== 'slow' || said.length > 0) return { text: `${who} is well.` }
          // Nothing comes of it for so long that it is laid down; meanwhile the others say what they wait for.
          const fresh = await open(client, 'late')
          await client.send(fresh, 'late', 'I am late')
          for (const id of [ids.poison!, fresh, ids.slow!]) said.push(await why(client, id))
          all.resolve()
          return { text: 'Wait', hang: true }
        })
        const mails: string[] = []
        for (const name of ['slow', ...Array.from({ length: WAITING - 1 }, (_, at) => `number${at}`), 'poison']) {
          ids[name] = await open(client, name, mails.length)
          mails.push((await client.send(ids[name], name, `I am ${name}`)).mailId)
        }
        await Promise.race([all.promise, life.broken])
        const poison = mails.pop()!
        expect(await client.settled(poison)).toMatchObject({ end: 'error' })
        for (const mail of mails) expect(await client.settled(mail)).toMatchObject({ end: 'done' })
        const { body: session } = await client.request<Session>('GET', `/api/sessions/${ids.poison}`)
        expect(session).toMatchObject({ status: 'error', reason: expect.stringContaining(`stopped ${ATTEMPTS} times`) })
        const again = await client.send(ids.poison!, 'again', 'I am poison. Once more, please.')
        expect(await client.settled(again.mailId)).toMatchObject({ end: 'done', reply: 'I am well again.' })
        expect(life.crashes).toBe(ATTEMPTS)
        const [suspect, late, slow] = said
        expect(suspect).toContain('waits to be checked alone after a crash: the program stopped 2 times')
        expect(late).toContain('waits until others have been checked alone after a crash')
        expect(slow).toContain('It is checked alone after a crash')

        expect(await life.stop()).toMatchObject({ code: 0 })
        const { inbox, turns } = await readRows(place)
        expect(inbox.map(({ kind, session_id, body }) => [kind, session_id, body])).toEqual([
          ['notice', ids.poison, expect.stringContaining('Send it a message')],
        ])
        expect(turns.filter(({ ended_as }) => ended_as !== 'done').map(({ session_id }) => session_id)).toEqual([
          ids.poison,
        ])
        // The others were found harmless before the first crash of a check, and wait for the end of the checks.
        expect([...asked.get(BESIDE)!].at(-1)).toBe('poison')
        for (const crashes of [BESIDE + 1, BESIDE + 2]) expect([...asked.get(crashes)!]).toEqual(['poison'])
        expect(place.vendor.rejections).toEqual([])
      }),
  )
})

describe.concurrent.for(storesInTurn(import.meta.filename, 1))('on %s', (store) => {
  test(`a server that is killed ${KILLS} times in a row by others ends no turn in error`, { timeout: LONGEST_MS }, () =>
    inPlace(store, async (place) => {
      const life = startLife(place, { limit: KILLS })
      const client = createClient(life)
      const waiting: (() => void)[] = []
      place.vendor.script(() => {
        waiting.shift()?.()
        return life.crashes < KILLS ? { text: 'Wait', hang: true } : { text: 'Done.' }
      })
      const mails: string[] = []
      for (let at = 0; at < KILLED; at += 1) {
        mails.push((await client.send(await open(client, `k${at}`), `k${at}`, 'Go')).mailId)
      }
      for (let kills = 0; kills < KILLS; kills += 1) {
        const asked = Promise.withResolvers<void>()
        waiting.push(asked.resolve)
        // The last of them is in flight beside others, or alone in a check.
        if (kills > 0) await Promise.race([asked.promise, life.broken])
        await life.kill()
      }
      for (const mail of mails) expect(await client.settled(mail)).toMatchObject({ end: 'done' })
      expect(await life.stop()).toMatchObject({ code: 0 })
      expect((await readRows(place)).inbox).toEqual([])
    }),
  )
})

async function open(client: Client, clientId: string, at = 0): Promise<string> {
  const model = `lab${at % ACCOUNTS || ''}/test-model`
  const made = await client.request<Session>('POST', '/api/sessions', { agent: 'assistant', clientId, model })
  return made.body.id
}

const why = async (client: Client, id: string): Promise<string> =>
  (await client.request<Why>('GET', `/api/why/${id}`)).body.text

function addAccounts({ home }: FaultPlace): void {
  const file = join(home, 'settings.json')
  const settings = JSON.parse(readFileSync(file, 'utf8'))
  for (let at = 1; at < ACCOUNTS; at += 1) settings.providers[`lab${at}`] = settings.providers.lab
  writeFileSync(file, JSON.stringify(settings))
}
