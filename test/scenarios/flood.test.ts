import { expect, test } from 'vitest'
import { flood } from '../faults/flood.ts'
import { stores } from '../kit/database.ts'
import { randomFrom, seed } from '../soak/bounds.ts'

test.for(stores)(
  'mail of many senders to many busy sessions on %s is read once and in order, though the server is killed',
  { timeout: 600_000 },
  async (store) => {
    const found = await flood(store, { senders: 20, sessions: 20, mails: 400, kills: 5, random: randomFrom(seed) })
    expect(found, `seed ${seed}`).toEqual([])
  },
)
