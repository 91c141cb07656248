import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createClient } from '../faults/client.ts'
import { broken, hasHoles } from '../faults/invariants.ts'
import { startLife } from '../faults/life.ts'
import { inPlace } from '../faults/place.ts'
import { readRows } from '../faults/rows.ts'
import { stores } from '../kit/database.ts'
import { LEASE_SECONDS, minutes, randomFrom, rate, recoverySeconds, rounds, seed, sessions } from './bounds.ts'
import { answer, badEffects, chat } from './load.ts'

const LONGEST_LIFE_REQUESTS = 30
const LONGEST_PAUSE_MS = 100

test.for(stores)('a server on %s that is killed at random under load loses nothing and does nothing twice', (store) =>
  inPlace(store, async (place) => {
    console.log(
      `${store}: seed ${seed}, ${rounds} kills, ${sessions} sessions, ${rate} mails a second, ${minutes} minutes at most`,
    )
    const random = randomFrom(seed)
    const heard = counter()
    place.vendor.script((request) => {
      heard.add()
      return answer(request)
    })
    const life = startLife(place, { limit: rounds })
    const client = createClient(life)
    let over = false
    const names = Array.from({ length: sessions }, (_, index) => `s${index}`)
    const pace = paced(rate)
    const chats = Promise.all(names.map((name) => chat(client, name, random, () => over, pace)))
    const recoveries: number[] = []

    const end = performance.now() + minutes * 60_000
    while (life.crashes < rounds && performance.now() < end) {
      // By requests and not by time alone: a life in which nothing happens shows nothing.
      await Promise.race([heard.more(1 + Math.floor(random() * LONGEST_LIFE_REQUESTS)), chats, life.broken])
      await pause(random() * LONGEST_PAUSE_MS)
      await life.kill()
      const killed = performance.now()
      await Promise.race([heard.more(1), chats, life.broken])
      recoveries.push((performance.now() - killed) / 1000)
    }
    over = true
    await chats
    for (const { mailId } of client.acknowledged.mail) await client.settled(mailId)
    const exit = await life.stop()
    const rows = await readRows(place)
    const [median, longest] = [0.5, 1].map(
      (share) => recoveries.toSorted((a, b) => a - b)[Math.ceil(share * recoveries.length) - 1]!,
    )
    console.log(`${store}: ${life.crashes} kills, ${rows.mail.length} mails, ${rows.calls.length} calls`)
    console.log(`${store}: recovered in ${median?.toFixed(2)} s, the longest ${longest?.toFixed(2)} s`)

    expect(exit).toMatchObject({ code: 0 })
    expect(place.vendor.rejections).toEqual([])
    expect(broken(client.acknowledged, rows)).toEqual([])
    expect(badEffects(place, rows)).toEqual([])
    if (store === 'sqlite') expect(hasHoles(rows)).toBe(false)
    expect(longest).toBeLessThan(recoverySeconds + (store === 'postgres' ? LEASE_SECONDS : 0))
  }),
)

/** Hands out moments that are so far apart; whoever is late has lost its moment and does not make up for it. */
function paced(perSecond: number): () => Promise<void> {
  let next = performance.now()
  return async () => {
    next = Math.max(next + 1000 / perSecond, performance.now())
    await pause(Math.max(1, next - performance.now()))
  }
}

/** Lets one wait until so many more have been added. */
function counter() {
  let count = 0
  let wanted = Number.POSITIVE_INFINITY
  let reached = Promise.withResolvers<void>()
  return {
    add() {
      count += 1
      if (count >= wanted) reached.resolve()
    },
    more(some: number): Promise<void> {
      wanted = count + some
      reached = Promise.withResolvers<void>()
      return reached.promise
    },
  }
}
