import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import type { AsideStart, AsideStatement, Told } from './aside.ts'
import { statementsOf } from './statement.ts'
import { onUnreadable } from './unreadable.ts'

/** The thread of aside.ts: one connection that only reads, one statement after the other. */

const { file, words } = workerData as AsideStart
const connection = new DatabaseSync(file, { readOnly: true })
connection.exec('pragma busy_timeout = 5000; pragma cache_size = -16000;')
const prepare = statementsOf(connection, words)

onUnreadable((place) => parentPort?.postMessage({ place } satisfies Told))
parentPort?.on('message', ({ id, sql, parameters }: AsideStatement) => {
  parentPort?.postMessage({ id, ...run(sql, parameters) } satisfies Told)
})

function run(sql: string, parameters: readonly unknown[]): { rows: unknown[] } | { error: string } {
  try {
    return { rows: prepare(sql).all(parameters) }
  } catch (error) {
    return { error: String(error) }
  }
}
