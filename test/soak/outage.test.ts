import { expect, test } from 'vitest'
import { createClient } from '../faults/client.ts'
import { startLife } from '../faults/life.ts'
import { inPlace } from '../faults/place.ts'
import { stores } from '../kit/database.ts'

const SESSIONS = 60
const OUTAGE_MS = 30_000
/** All that were in flight when it began, and one at a time after that: 1, 2, 4, 8, 16 s apart. */
const MOST_FAILED = SESSIONS + 10

test.for(stores)('60 sessions on %s work through an outage of 30 s, and all go on by themselves', (store) =>
  inPlace(store, async (place) => {
    let failed = 0
    let downUntil = 0
    place.vendor.script(() => {
      if (performance.now() >= downUntil) return { text: 'Here.' }
      failed += 1
      return { error: { kind: 'server', status: 503 } }
    })
    const life = startLife(place, { limit: 0 })
    const client = createClient(life)
    const ids = await Promise.all(Array.from({ length: SESSIONS }, (_, n) => client.open(`s${n}`, 'assistant')))
    const round = async (word: string) => {
      const mails = await Promise.all(ids.map((id, n) => client.send(id, `${word} ${n}`, word)))
      return Promise.all(mails.map(({ mailId }) => client.settled(mailId)))
    }
    // An account that is known to be well is asked by all at once, so all of them meet the outage.
    expect((await round('before')).map(({ end }) => end)).toEqual(ids.map(() => 'done'))
    downUntil = performance.now() + OUTAGE_MS
    expect((await round('during')).map(({ end, reply }) => [end, reply])).toEqual(ids.map(() => ['done', 'Here.']))
    console.log(`${store}: ${failed} requests failed`)
    expect(failed).toBeLessThan(MOST_FAILED)
    expect(await life.stop()).toMatchObject({ code: 0 })
    expect(place.vendor.rejections).toEqual([])
  }),
)
