import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { InboxItem } from '../../src/contract/inbox.ts'
import { onSession, transact } from '../../src/core/base/index.ts'
import { notify, notifyProject } from '../../src/core/inbox/index.ts'
import { listInbox } from '../../src/core/steering/index.ts'
import { kyselyOver } from '../../src/store/drivers/statements.ts'
import { stores } from '../kit/database.ts'
import { createWorld, type World } from '../kit/world.ts'

/** What happens while a reader goes from page to page: how many come, are told again, or are put away. */
const happening = fc.record({
  come: fc.integer({ min: 0, max: 3 }),
  again: fc.integer({ min: 0, max: 2 }),
  gone: fc.array(fc.nat(), { maxLength: 4 }),
})
const reading = fc.record({
  limit: fc.integer({ min: 1, max: 9 }),
  between: fc.array(happening, { minLength: 1, maxLength: 8 }),
})

let made = 0
const tell = (world: World, count: number, group?: string) =>
  transact(world.server.core, 'test', async (tx) => {
    for (let at = 0; at < count; at += 1) {
      made += 1
      const id = `inbox_${made.toString(36)}x${(made * 7919) % 97}`
      await notifyProject(tx, world.server.core.project.id, {
        id,
        title: `News ${made}`,
        body: '',
        ...(group && { group }),
      })
    }
  })

const page = (world: World, limit: number, cursor: string | undefined) =>
  world.ok<{ items: InboxItem[]; nextCursor?: string }>(
    'GET',
    `/api/inbox?status=open&limit=${limit}${cursor === undefined ? '' : `&cursor=${cursor}`}`,
  )

test('a page of many items, each of another session, takes as many statements as a page of one', async () => {
  const world = await createWorld()
  const { core } = world.server
  for (let at = 0; at < 6; at += 1) {
    const { id } = await world.session()
    await onSession(core, id, 'test', (tx, session) => notify(tx, session, { title: `News ${at}`, body: '' }))
  }
  const connection = new DatabaseSync(join(world.home, 'data.db'), { readOnly: true })
  onTestFinished(() => connection.close())
  const taken = async (limit: number) => {
    let statements = 0
    const db = kyselyOver(connection, () => {
      statements += 1
    })
    const { items } = await listInbox(core, { project: '*', limit }, db)
    expect(items.map(({ lineage }) => lineage.length)).toEqual(Array(limit).fill(1))
    return statements
  }
  expect(await taken(6)).toBe(await taken(1))
})

describe.each(stores)('the inbox on %s', (store) => {
  test('read page by page while items come, repeat and go, shows none twice and leaves out none that stays', async () => {
    const world = await createWorld({ store })
    await fc.assert(
      fc.asyncProperty(reading, async ({ limit, between }) => {
        await tell(world, 12)
        await tell(world, 1, 'storm')
        const before = new Set((await world.inbox()).map(({ id }) => id))
        const seen: string[] = []
        let cursor: string | undefined
        for (let at = 0; ; at += 1) {
          const { items, nextCursor } = await page(world, limit, cursor)
          seen.push(...items.map(({ id }) => id))
          if (nextCursor === undefined) break
          cursor = nextCursor
          const { come, again, gone } = between[at] ?? { come: 0, again: 0, gone: [] }
          await tell(world, come)
          await tell(world, again, 'storm')
          for (const nth of gone) {
            const all = await world.inbox()
            const away = all[nth % Math.max(1, all.length)]
            if (away === undefined) continue
            await world.ok('POST', `/api/inbox/${away.id}/dismiss`)
            before.delete(away.id)
          }
        }
        expect(new Set(seen).size).toBe(seen.length)
        expect([...before].filter((id) => !seen.includes(id))).toEqual([])
        for (const { id } of await world.inbox()) await world.ok('POST', `/api/inbox/${id}/dismiss`)
      }),
      { numRuns: store === 'sqlite' ? 12 : 6 },
    )
  })
})
