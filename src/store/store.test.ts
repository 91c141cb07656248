import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createDatabase, type StoreKind, settleEvents, stores } from '../../test/kit/database.ts'
import { makeFolder } from '../../test/kit/files.ts'
import { lockFolder } from './drivers/folder-lock.ts'
import { openPostgres } from './drivers/postgres.ts'
import { checkVersion, openSqlite } from './drivers/sqlite.ts'
import { migrations } from './migrations/index.ts'
import type { Store } from './store.ts'
import type { Db } from './tables.ts'

const now = () => Date.now()

async function open(kind: StoreKind): Promise<Store> {
  const store =
    kind === 'sqlite'
      ? await openSqlite({
          file: join(makeFolder(), 'data.db'),
          durability: 'process',
          now,
        })
      : await openPostgres({ url: await createDatabase({ empty: true }), now })
  onTestFinished(() => store.close())
  return store
}

const note = (store: Store, db: Db, message: string) =>
  store.appendEvents(db, [{ at: now(), type: 'log', project: 'p', sessionId: null, data: { level: 'info', message } }])

async function remove(store: Store, messages: readonly string[]): Promise<void> {
  const data = messages.map((message) => JSON.stringify({ level: 'info', message }))
  await store.write((db) => db.deleteFrom('events').where('data', 'in', data).execute())
}

const said = (page: { items: { data: Record<string, unknown> }[] }) => page.items.map(({ data }) => data.message)

describe.each(stores)('the store on %s', (kind) => {
  test('a transaction that throws leaves nothing behind', async () => {
    const store = await open(kind)
    const broken = store.write(async (db) => {
      await note(store, db, 'never')
      throw new Error('no')
    })
    await expect(broken).rejects.toThrow('no')
    expect((await store.readEvents({ limit: 10 })).items).toEqual([])
  })

  test('a query beside the open transaction throws instead of reading beside it', async () => {
    const store = await open(kind)
    await expect(store.write(async () => store.read.selectFrom('sessions').selectAll().execute())).rejects.toThrow(
      'outside',
    )
    await expect(store.write(() => store.write(async () => 1))).rejects.toThrow('outside')
  })

  test('pages of events follow each other without gap or repeat, also past what a filter leaves out', async () => {
    const store = await open(kind)
    for (let i = 0; i < 7; i++) await store.write((db) => note(store, db, `n${i}`))
    await settleEvents(store)
    const first = await store.readEvents({ limit: 3 })
    const second = await store.readEvents({ after: first.seq, limit: 3 })
    const third = await store.readEvents({ after: second.seq, limit: 3 })
    expect([...said(first), ...said(second), ...said(third)]).toEqual(['n0', 'n1', 'n2', 'n3', 'n4', 'n5', 'n6'])
    const filtered = await store.readEvents({ types: ['turn.ended'], limit: 3 })
    expect(filtered.items).toEqual([])
    expect((await store.readEvents({ after: filtered.seq, limit: 10 })).items).toEqual([])
    await expect(store.readEvents({ after: 'x', limit: 1 })).rejects.toThrow('not a cursor')
  })

  test('events are found by the task, the run and the node they are about', async () => {
    const store = await open(kind)
    const about = (more: object) => ({
      at: now(),
      type: 'log' as const,
      project: 'p',
      sessionId: 's',
      data: {},
      ...more,
    })
    await store.write((db) =>
      store.appendEvents(db, [
        about({ data: { message: 'none' } }),
        about({ taskId: 'task_1', data: { message: 'task' } }),
        about({ taskId: 'task_2', runId: 'run_1', data: { message: 'run' } }),
        about({ taskId: 'task_1', runId: 'run_1', nodeId: 'node_1', data: { message: 'node' } }),
      ]),
    )
    await settleEvents(store)
    expect(said(await store.readEvents({ taskId: 'task_1', limit: 9 }))).toEqual(['task', 'node'])
    expect(said(await store.readEvents({ runId: 'run_1', limit: 9 }))).toEqual(['run', 'node'])
    expect(said(await store.readEvents({ runId: 'run_1', taskId: 'task_2', limit: 9 }))).toEqual(['run'])
    const { items } = await store.readEvents({ nodeId: 'node_1', limit: 9 })
    expect(items).toEqual([expect.objectContaining({ taskId: 'task_1', runId: 'run_1', nodeId: 'node_1' })])
    expect((await store.readEvents({ taskId: 'task_3', limit: 9 })).items).toEqual([])
  })

  test('a reader behind what was removed is told where the events begin now, and nobody else is', async () => {
    const store = await open(kind)
    const empty = await store.latestSeq()
    for (let i = 0; i < 6; i++) await store.write((db) => note(store, db, `n${i}`))
    await settleEvents(store)
    const { items } = await store.readEvents({ limit: 10 })
    const seqs = items.map(({ seq }) => seq)
    const from = async (after: string) => said(await store.readEvents({ after, limit: 10 }))
    expect(await from(empty)).toEqual(['n0', 'n1', 'n2', 'n3', 'n4', 'n5'])

    // An event in the middle stays, as the events of a run would, but those around it are missing.
    await remove(store, ['n0', 'n2'])
    for (const after of [empty, seqs[0]!, seqs[1]!]) {
      const refused = store.readEvents({ after, limit: 10 })
      await expect(refused).rejects.toMatchObject({ code: 'events.expired' })
      const { earliest } = await refused.catch(({ details }) => details)
      expect(await from(earliest)).toEqual(['n3', 'n4', 'n5'])
    }
    expect(await from(seqs[2]!)).toEqual(['n3', 'n4', 'n5'])
    expect(said(await store.readEvents({ limit: 10 }))).toEqual(['n1', 'n3', 'n4', 'n5'])

    const { seq } = await store.snapshot(async () => undefined)
    const latest = await store.latestSeq()
    await remove(store, ['n1', 'n3', 'n4', 'n5'])
    await settleEvents(store)
    for (const after of [seqs[5]!, seq, latest, await store.latestSeq()]) expect(await from(after)).toEqual([])
    await store.write((db) => note(store, db, 'n6'))
    await settleEvents(store)
    for (const after of [seqs[5]!, seq, latest]) expect(await from(after)).toEqual(['n6'])
    await expect(from(seqs[4]!)).rejects.toMatchObject({ code: 'events.expired' })
  })

  test('what was never a cursor is refused as such', async () => {
    const store = await open(kind)
    await store.write((db) => note(store, db, 'one'))
    const numbers = ['', ' 1', '-1', '1.5e3', '0x1', '1e3', '99999999', '9007199254740993', '1'.repeat(40)]
    const pairs = [
      '1',
      '1.',
      '.1',
      '1.9999999999999999999',
      '99999999999999999999.1',
      '999999999.0',
      '1.0~9:1:',
      '1.0~1:5:,,',
    ]
    for (const after of kind === 'sqlite' ? numbers : pairs)
      await expect(store.readEvents({ after, limit: 1 }), after).rejects.toMatchObject({ code: 'events.bad_cursor' })
  })

  test('a snapshot and the events after its cursor hold every change exactly once', async () => {
    const store = await open(kind)
    await store.write((db) => note(store, db, 'before'))
    const { value, seq } = await store.snapshot(async (db) => {
      // This commits while the snapshot is open, so it is not in the snapshot and must come after it.
      if (kind === 'postgres') await store.write((other) => note(store, other, 'during'))
      return db.selectFrom('events').select('data').execute()
    })
    if (kind === 'sqlite') await store.write((db) => note(store, db, 'during'))
    await store.write((db) => note(store, db, 'after'))
    expect(value.map(({ data }) => JSON.parse(data).message)).toEqual(['before'])
    await settleEvents(store)
    const later = await store.readEvents({ after: seq, limit: 10 })
    expect(said(later)).toEqual(['during', 'after'])
    expect(said(await store.readEvents({ after: later.items[0]!.seq, limit: 10 }))).toEqual(['after'])
  })

  test('many writers at once lose and repeat no event for a reader that follows', async () => {
    const store = await open(kind)
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (let i = 0; i < 20; i++) {
        await store.write(async (db) => {
          await note(store, db, `${writer}.${i}`)
          // Other transactions commit in between, so that commit order differs from number order.
          for (let turn = 0; turn < (writer * 7 + i) % 5; turn++)
            await db.selectFrom('sessions').select('id').limit(1).execute()
        })
      }
    })
    let finished = false
    const all = Promise.all(writers).then(() => {
      finished = true
    })
    const seen: unknown[] = []
    let after: string | undefined
    for (;;) {
      const wasFinished = finished
      const page = await store.readEvents({ after, limit: 7 })
      seen.push(...said(page))
      after = page.seq
      if (wasFinished && page.items.length === 0 && seen.length >= 160) break
      await new Promise((resolve) => setImmediate(resolve))
    }
    await all
    expect(seen.length).toBe(160)
    expect(new Set(seen).size).toBe(160)
    for (let writer = 0; writer < 8; writer++) {
      const own = seen.filter((message) => String(message).startsWith(`${writer}.`))
      expect(own).toEqual(Array.from({ length: 20 }, (_, i) => `${writer}.${i}`))
    }
  })
})

describe('PostgreSQL', () => {
  test('an event of a transaction that commits late is not skipped by a reader that has moved on', async () => {
    const url = await createDatabase({ empty: true })
    const store = await openPostgres({ url, now })
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    onTestFinished(async () => {
      await client.end()
      await store.close()
    })
    await client.query('begin')
    await client.query(`insert into events (at, type, project_id, data) values (1, 'log', 'p', '{"message":"late"}')`)
    await store.write((db) => note(store, db, 'early'))
    const first = await store.readEvents({ limit: 10 })
    expect(said(first)).toEqual([])
    await client.query('commit')
    await settleEvents(store)
    expect(said(await store.readEvents({ after: first.seq, limit: 10 }))).toEqual(['late', 'early'])
  })

  test('two transactions that wait for each other are both written, the one that had to give way a second time', async () => {
    const store = await open('postgres')
    await store.write((db) =>
      Promise.all(['a', 'b'].map((id) => db.insertInto('projects').values({ id, path: id, created_at: 1 }).execute())),
    )
    const both = { a: Promise.withResolvers<void>(), b: Promise.withResolvers<void>() }
    const rename = (first: 'a' | 'b', second: 'a' | 'b') => {
      let tries = 0
      return store.write(async (db) => {
        tries += 1
        const touch = (id: string) =>
          db
            .updateTable('projects')
            .set({ path: `${first}${id}` })
            .where('id', '=', id)
            .execute()
        await touch(first)
        both[first].resolve()
        await both[second].promise
        await touch(second)
        return tries
      })
    }
    const tries = await Promise.all([rename('a', 'b'), rename('b', 'a')])
    expect(tries.toSorted()).toEqual([1, 2])
  })

  test('a host whose clock is wrong tells the time by the database', async () => {
    const url = await createDatabase({ empty: true })
    const store = await openPostgres({ url, now: () => Date.now() - 3_600_000 })
    onTestFinished(() => store.close())
    expect(Math.abs(store.time() - Date.now())).toBeLessThan(600_000)
  })

  test('five that start at once on an empty database migrate it once', async () => {
    const url = await createDatabase({ empty: true })
    const opened = await Promise.all(Array.from({ length: 5 }, () => openPostgres({ url, now, connections: 2 })))
    const rows = await opened[0]!.read.selectFrom('migrations').selectAll().execute()
    await Promise.all(opened.map((store) => store.close()))
    expect(rows.map(({ id, name }) => `${id} ${name}`)).toEqual(migrations.map(({ name }, at) => `${at + 1} ${name}`))
  })
})

describe('SQLite', () => {
  test.each([
    ['3.44.5', false],
    ['3.44.6', true],
    ['3.46.1', false],
    ['3.50.6', false],
    ['3.50.7', true],
    ['3.51.2', false],
    ['3.51.3', true],
    ['3.53.0', true],
  ])('version %s is accepted: %s', (version, accepted) => {
    const check = () => checkVersion(version)
    if (accepted) expect(check).not.toThrow()
    else expect(check).toThrow('corrupt')
  })

  test('a newer schema is refused by an older program', async () => {
    const file = join(makeFolder(), 'data.db')
    await (await openSqlite({ file, durability: 'process', now })).close()
    const raw = new DatabaseSync(file)
    raw.exec(`insert into migrations (id, name, at) values (999, 'later', 0)`)
    raw.close()
    await expect(openSqlite({ file, durability: 'process', now })).rejects.toThrow('does not know: later')
  })

  test('a backup taken while writing goes on opens, is whole, and is the owner’s alone', async () => {
    const folder = makeFolder()
    const store = await openSqlite({ file: join(folder, 'data.db'), durability: 'process', now })
    onTestFinished(() => store.close())
    for (let i = 0; i < 50; i++) await store.write((db) => note(store, db, `n${i}`))
    const copy = join(folder, 'copy.db')
    const writing = (async () => {
      for (let i = 50; i < 80; i++) await store.write((db) => note(store, db, `n${i}`))
    })()
    await store.backup!(copy)
    await writing
    const raw = new DatabaseSync(copy, { readOnly: true })
    expect(raw.prepare('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' })
    expect(Number(raw.prepare('select count(*) as n from events').get()!.n)).toBeGreaterThanOrEqual(50)
    raw.close()
    expect(statSync(copy).mode & 0o777).toBe(0o600)
  })

  test('the second server on one data folder is refused and told the pid of the first', () => {
    const home = makeFolder()
    const held = lockFolder(home, 4242)
    expect(() => lockFolder(home, 1)).toThrow('pid 4242')
    held.free()
    lockFolder(home, 2).free()
  })
})
