import { expect, test } from 'vitest'
import { flood } from '../faults/flood.ts'
import { stores } from '../kit/database.ts'
import { randomFrom, seed } from './bounds.ts'

test.for(stores)('10,000 mails to busy sessions on %s are read once and in order, through 40 kills', async (store) => {
  console.log(`${store}: seed ${seed}`)
  const found = await flood(store, { senders: 20, sessions: 20, mails: 10_000, kills: 40, random: randomFrom(seed) })
  expect(found).toEqual([])
})
