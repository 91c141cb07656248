import { expect, test } from 'vitest'
import { stores } from '../kit/database.ts'
import { randomFrom, seed } from '../soak/bounds.ts'
import { campaign } from './campaign/campaign.ts'
import { faults } from './campaign/faults.ts'
import { complaints, table } from './campaign/table.ts'

/** `npm run soak` does each of them far more often, and all of them. */
test.concurrent.for(stores)(
  'some of every fault on %s under load: nothing is lost, done twice or left to a person',
  { timeout: 300_000 },
  async (store) => {
    const rows = await campaign(store, {
      faults: faults.filter((fault) => fault.stores.includes(store) && fault.times.short > 0),
      times: ({ times }) => times.short,
      sessions: 4,
      rate: 50,
      readers: 2,
      long: false,
      random: randomFrom(seed),
    })
    console.log(`${table(rows)}\nseed ${seed}`)
    expect(complaints(rows), `seed ${seed}`).toEqual([])
  },
)
