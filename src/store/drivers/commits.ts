import type { DatabaseSync } from 'node:sqlite'
import { transactionScope } from '../store.ts'
import type { Db } from '../tables.ts'

/** How many units of work share one commit; more wait for the next. */
const TOGETHER = 64

interface Commits {
  /** Resolves once the work is committed; work that throws leaves nothing behind. */
  write<T>(work: (db: Db) => Promise<T>): Promise<T>
  /** The scope of the unit that is being worked on. */
  readonly open: symbol | undefined
  /** Resolves when nothing is left to write. */
  settled(): Promise<void>
}

interface Unit {
  readonly work: (db: Db) => Promise<unknown>
  resolve(value: unknown): void
  reject(error: unknown): void
}

/**
 * Runs the waiting units one after the other and commits them together: a commit costs more than most of what it
 * writes. Each unit is a savepoint, so that a unit that throws undoes only its own rows.
 */
export function createCommits(
  connection: DatabaseSync,
  db: Db,
  { mustBeThere, translate }: { mustBeThere(): void; translate(error: unknown): unknown },
): Commits {
  const [begin, commit, rollback, savepoint, release, rollbackTo] = [
    'begin immediate',
    'commit',
    'rollback',
    'savepoint unit',
    'release unit',
    'rollback to unit',
  ].map((sql) => connection.prepare(sql)) as [Command, Command, Command, Command, Command, Command]
  const queue: Unit[] = []
  let open: symbol | undefined
  let draining: Promise<void> | undefined

  /** Waits for the next turn of the event loop each time, so that units that arrive together are written together. */
  async function drain(): Promise<void> {
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve))
      if (queue.length === 0) break
      await writeTogether(queue.splice(0, TOGETHER))
    }
    draining = undefined
  }

  async function writeTogether(units: readonly Unit[]): Promise<void> {
    const done: { unit: Unit; value: unknown }[] = []
    const failed: { unit: Unit; error: unknown }[] = []
    try {
      mustBeThere()
      for (const unit of units) {
        if (!connection.isTransaction) begin.run()
        try {
          done.push({ unit, value: await (units.length === 1 ? inScope(unit) : apart(unit)) })
        } catch (error) {
          // The failure is told after the commit: it may rest on what the others wrote.
          failed.push({ unit, error: translate(error) })
          // A full disk ends the whole transaction, and undoes what the units before have done.
          if (!connection.isTransaction) for (const other of done.splice(0)) other.unit.reject(translate(error))
        }
      }
      if (connection.isTransaction) (done.length > 0 ? commit : rollback).run()
      for (const { unit, value } of done) unit.resolve(value)
      for (const { unit, error } of failed) unit.reject(error)
    } catch (error) {
      // Whoever writes after the end finds it closed.
      if (connection.isOpen && connection.isTransaction) rollback.run()
      for (const unit of units) unit.reject(translate(error))
    }
  }

  async function apart(unit: Unit): Promise<unknown> {
    savepoint.run()
    try {
      const value = await inScope(unit)
      release.run()
      return value
    } catch (error) {
      if (connection.isTransaction) {
        rollbackTo.run()
        release.run()
      }
      throw error
    }
  }

  async function inScope({ work }: Unit): Promise<unknown> {
    const scope = Symbol()
    open = scope
    try {
      return await transactionScope.run(scope, () => work(db))
    } finally {
      open = undefined
    }
  }

  return {
    write: <T>(work: (db: Db) => Promise<T>) =>
      new Promise<T>((resolve, reject) => {
        queue.push({ work, resolve: resolve as Unit['resolve'], reject })
        draining ??= drain()
      }),
    get open() {
      return open
    },
    async settled() {
      while (draining !== undefined) await draining
    },
  }
}

type Command = ReturnType<DatabaseSync['prepare']>
