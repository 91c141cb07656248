import { afterAll, expect, test } from 'vitest'
import { campaign, type Row } from '../faults/campaign/campaign.ts'
import { faults } from '../faults/campaign/faults.ts'
import { complaints, table } from '../faults/campaign/table.ts'
import { stores } from '../kit/database.ts'
import { randomFrom, rate, seed, sessions, share } from './bounds.ts'

const READERS = 20
const all: Row[] = []
const cases = stores.flatMap((store) =>
  faults.filter((fault) => fault.times[store] > 0).map((fault) => ({ store, fault, name: fault.name })),
)

afterAll(() => console.log(`${table(all)}\nTROUPE_SOAK_SEED=${seed}`))

test.for(cases)('$name on $store: nothing is lost, done twice or left to a person', async ({ store, fault }) => {
  const rows = await campaign(store, {
    faults: [fault],
    times: ({ times }) => Math.ceil(times[store] * share),
    sessions,
    rate,
    readers: READERS,
    long: true,
    random: randomFrom(seed),
  })
  all.push(...rows)
  // A soak that is broken off keeps what it has found.
  console.log(table(rows))
  expect(complaints(rows), `seed ${seed}`).toEqual([])
})
