import { expect, onTestFinished, test } from 'vitest'
import { deliver } from '../../src/core/mail/deliver.ts'
import { findSession } from '../../src/store/sessions.ts'
import { busyWorld, secondEngine } from './runners.ts'

/** More than the time after which a lease that nobody renews counts as lost. */
const LONG_MS = 11_000

test('a turn keeps its lease for as long as it takes, and is run once', async () => {
  const gate = Promise.withResolvers<void>()
  const world = await busyWorld({}, () => ({ text: 'At last.', delay: gate.promise }))
  const { core, engine } = await secondEngine(world)
  onTestFinished(() => engine.stop())
  const { id } = await world.session()
  const { mailId } = await deliver(core, { to: id, from: { kind: 'human' }, content: 'Take your time' })
  const until = async () => (await findSession(core.store.read, id))?.lease_until ?? 0
  const first = await world.eventually(until)
  await world.eventually(async () => (await until()) > first + LONG_MS)
  gate.resolve()
  expect(await world.settled(mailId)).toMatchObject({ end: 'done', reply: 'At last.' })
  expect(world.vendor.requests.filter(({ lastUserText }) => lastUserText.includes('Take your time'))).toHaveLength(1)
})
