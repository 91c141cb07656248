import { CompiledQuery, type KyselyPlugin } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { makeFolder } from '../../test/kit/files.ts'
import { unroutedItems } from './deliveries.ts'
import { openSqlite } from './drivers/sqlite.ts'
import { countOpenMessages, findGrouped, findInbox, selectInbox, settleInbox } from './inbox.ts'
import type { Db } from './tables.ts'

const open = { project: '*', status: 'open', limit: 50 } as const

/** Every way in which the inbox is read or answered. */
const ways: readonly [string, (db: Db) => Promise<unknown>][] = [
  ['what is open', (db) => selectInbox(db, open)],
  ['a later page', (db) => selectInbox(db, { ...open, cursor: '1000.inbox_7' })],
  ['one kind', (db) => selectInbox(db, { ...open, kind: 'question' })],
  ['one agent', (db) => selectInbox(db, { ...open, agent: 'writer' })],
  ['one project', (db) => selectInbox(db, { ...open, project: 'p' })],
  ['everything that ever was', (db) => selectInbox(db, { project: '*', limit: 50 })],
  ['one item', (db) => findInbox(db, 'inbox_7')],
  ['an answer', (db) => settleInbox(db, 'inbox_7', 'answered', { answer: {}, by: 'human', at: 1 })],
  ['a group', (db) => findGrouped(db, 'p', 'storm')],
  ['the messages of a project', (db) => countOpenMessages(db, 'p')],
  ['what no channel was told of', (db) => unroutedItems(db, 0, 50)],
]

test('what begins with an id is a range of the ids, whatever else is asked, and only what is in it is sorted', async () => {
  for (const more of [{}, open, { ...open, kind: 'question', agent: 'writer', project: 'p' } as const])
    expect(await planOf((db) => selectInbox(db, { project: '*', limit: 50, ...more, id: 'inbox_7' }))).toEqual([
      expect.stringMatching(/^SEARCH inbox USING INDEX sqlite_autoindex_inbox_1 \(id>\? AND id<\?\)/),
      'USE TEMP B-TREE FOR ORDER BY',
    ])
})

test.each(ways)('%s is found by an index: of a thousand items, no other is read or sorted', async (_, way) => {
  const steps = await planOf(way)
  expect(steps.filter((step) => /inbox/.test(step))).not.toEqual([])
  // A scan of an index in order ends with the page.
  expect(steps.filter((step) => /^SCAN inbox(?! USING (COVERING )?INDEX)|TEMP B-TREE/.test(step))).toEqual([])
})

/** How SQLite goes about it, step by step. */
async function planOf(way: (db: Db) => Promise<unknown>): Promise<string[]> {
  const store = await openSqlite({ file: `${makeFolder()}/data.db`, durability: 'process', now: () => 1 })
  onTestFinished(() => store.close())
  const { read } = store
  const asked: CompiledQuery[] = []
  const listen: KyselyPlugin = {
    transformQuery({ node, queryId }) {
      asked.push(read.getExecutor().compileQuery(node, queryId))
      return node
    },
    transformResult: async ({ result }) => result,
  }
  await store.write((db) => way(db.withPlugin(listen)))
  const plans = await Promise.all(
    asked.map(({ sql, parameters }) =>
      store.read.executeQuery<{ detail: string }>(CompiledQuery.raw(`explain query plan ${sql}`, [...parameters])),
    ),
  )
  return plans.flatMap(({ rows }) => rows.map(({ detail }) => detail))
}
