import { describe, expect, test } from 'vitest'
import { cast } from '../kit/cast.ts'
import { type StoreKind, storesInTurn } from '../kit/database.ts'
import { atRest, mails } from '../kit/records.ts'
import { tell } from '../kit/script.ts'
import { createWorld } from '../kit/world.ts'

/** Each that is written to tells those named behind it. */
async function tellers(store: StoreKind, next: Record<string, string[]>, loop: Record<string, number>) {
  const agents = Object.fromEntries(Object.keys(next).map((name) => [name, {}]))
  const world = await createWorld({ store, files: cast(agents), settings: { loop } })
  world.vendor.script(({ model, messages }) => {
    const told = next[model] ?? []
    if (messages.at(-1)?.role !== 'user' || told.length === 0) return { text: 'So be it.' }
    return { calls: told.map((name) => tell(name, `${model} tells`)) }
  })
  const start = async (agent: string) => {
    await world.send((await world.session({ agent })).id, 'Start')
    await atRest(world)
  }
  const stopped = async () =>
    (await mails(world)).flatMap(({ state, session_id }) => (state === 'suppressed' ? [session_id] : []))
  return { world, start, stopped }
}

describe.each(storesInTurn(import.meta.filename))('a chain that was stopped, on %s,', (store) => {
  test('goes on alone: another that was stopped stays so, and can go on later', async () => {
    const next = { ann: ['ben'], ben: ['cyd'], cyd: [], dan: ['eve'], eve: ['fay'], fay: [] }
    const { world, start, stopped } = await tellers(store, next, { maxHops: 1 })
    await start('ann')
    const [first] = await world.inbox()
    await start('dan')
    const second = (await world.inbox()).find(({ id }) => id !== first!.id)
    const [cyd, fay] = await stopped()
    await world.ok('POST', `/api/inbox/${second!.id}/answer`, { answer: 'go on' })
    await atRest(world)
    expect(await stopped()).toEqual([cyd])
    expect(await world.messages(fay!)).toHaveLength(2)
    expect((await world.inbox()).map(({ id }) => id)).toEqual([first!.id])
    await world.ok('POST', `/api/inbox/${first!.id}/answer`, { answer: 'go on' })
    await atRest(world)
    expect([await stopped(), await world.inbox()]).toEqual([[], []])
  })

  test('is told of until the person has written to everybody whom it did not wake', async () => {
    const { world, start, stopped } = await tellers(
      store,
      { ann: ['ben'], ben: ['cyd', 'dan'], cyd: [], dan: [] },
      { maxHops: 1 },
    )
    await start('ann')
    const [one, other] = await stopped()
    await world.say(one!, 'Here you are')
    expect(await stopped()).toEqual([other])
    expect(await world.inbox()).toMatchObject([{ kind: 'notice', options: ['go on'] }])
    await world.say(other!, 'And you')
    expect([await stopped(), await world.inbox()]).toEqual([[], []])
  })
})

test('the notice of a long chain shows the newest twelve messages of it', async () => {
  const { world, start } = await tellers('sqlite', { ann: ['ben'], ben: ['ann'] }, { autoWakeBudget: 100, maxHops: 20 })
  await start('ann')
  const [notice] = await world.inbox()
  const lines = notice!.body.split('\n').filter((line) => line.includes(' tells'))
  expect(lines).toHaveLength(12)
})

test('a chain that is stopped at its first message has none to show', async () => {
  const { world, start } = await tellers('sqlite', { ann: ['ben'], ben: [] }, { autoWakeBudget: 1 })
  await start('ann')
  await start('ann')
  const [notice] = await world.inbox()
  expect(notice!.title).toContain('loop.autoWakeBudget')
  expect(notice!.body).not.toContain('newest messages')
})
