import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createDatabase, type StoreKind, settleEvents, stores } from '../../test/database.ts'
import { lockFolder } from './folder-lock.ts'
import { schemaVersion } from './migrations.ts'
import { openPostgres } from './postgres.ts'
import { checkVersion, openSqlite } from './sqlite.ts'
import type { Store } from './store.ts'
import type { Db } from './tables.ts'

const now = () => Date.now()

function storeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-store-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

async function open(kind: StoreKind): Promise<Store> {
  const store =
    kind === 'sqlite'
      ? await openSqlite({
          file: join(storeFolder(), 'data.db'),
          durability: 'process',
          now,
        })
      : await openPostgres({ url: await createDatabase(), now })
  onTestFinished(() => store.close())
  return store
}

const note = (store: Store, db: Db, message: string) =>
  store.appendEvents(db, [{ at: now(), type: 'log', project: 'p', sessionId: null, data: { level: 'info', message } }])

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

  test('a snapshot and the events after its cursor hold every change exactly once', async () => {
    const store = await open(kind)
    await store.write((db) => note(store, db, 'before'))
    const { value, seq } = await store.snapshot(async (db) => {
      // Committed while the snapshot is open: not in it, so it must come after it.
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
    const url = await createDatabase()
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

  test('five that start at once on an empty database migrate it once', async () => {
    const url = await createDatabase()
    const opened = await Promise.all(Array.from({ length: 5 }, () => openPostgres({ url, now, connections: 2 })))
    const rows = await opened[0]!.read.selectFrom('migrations').selectAll().execute()
    await Promise.all(opened.map((store) => store.close()))
    expect(rows.map(({ id }) => id)).toEqual(Array.from({ length: schemaVersion }, (_, index) => index + 1))
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
    const file = join(storeFolder(), 'data.db')
    await (await openSqlite({ file, durability: 'process', now })).close()
    const raw = new DatabaseSync(file)
    raw.exec(`insert into migrations (id, name, at) values (999, 'later', 0)`)
    raw.close()
    await expect(openSqlite({ file, durability: 'process', now })).rejects.toThrow('schema 999')
  })

  test('a backup taken while writing goes on opens, is whole, and is the owner’s alone', async () => {
    const folder = storeFolder()
    const store = await openSqlite({ file: join(folder, 'data.db'), durability: 'process', now })
    onTestFinished(() => store.close())
    for (let i = 0; i < 50; i++) await store.write((db) => note(store, db, `n${i}`))
    const copy = join(folder, 'copy.db')
    const writing = (async () => {
      for (let i = 50; i < 80; i++) await store.write((db) => note(store, db, `n${i}`))
    })()
    await store.backup(copy)
    await writing
    const raw = new DatabaseSync(copy, { readOnly: true })
    expect(raw.prepare('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' })
    expect(Number(raw.prepare('select count(*) as n from events').get()!.n)).toBeGreaterThanOrEqual(50)
    raw.close()
    expect(statSync(copy).mode & 0o777).toBe(0o600)
  })

  test('the second server on one data folder is refused and told the pid of the first', () => {
    const home = storeFolder()
    const held = lockFolder(home, 4242)
    expect(() => lockFolder(home, 1)).toThrow('pid 4242')
    held.free()
    lockFolder(home, 2).free()
  })
})
