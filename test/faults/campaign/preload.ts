/**
 * Loaded into a server before its program. `TROUPE_FAULT_CLOCK_MS` sets its host's clock that far ahead; SIGUSR2 fills the
 * disk under its SQLite database, and the next SIGUSR2 makes space again.
 */
import { DatabaseSync } from 'node:sqlite'

const ahead = Number(process.env.TROUPE_FAULT_CLOCK_MS ?? 0)
const now = Date.now
if (ahead !== 0) Date.now = () => now() + ahead

const ROOM = 1073741823
const opened = new Set<DatabaseSync>()
const { prepare } = DatabaseSync.prototype
let full = false

DatabaseSync.prototype.prepare = function (this: DatabaseSync, ...given: Parameters<typeof prepare>) {
  if (!opened.has(this)) {
    opened.add(this)
    bound(this)
  }
  return prepare.apply(this, given)
}

process.on('SIGUSR2', () => {
  full = !full
  for (const database of opened) bound(database)
})

/** A database that may not grow is one on a full disk: SQLite says so in the same words. */
function bound(database: DatabaseSync): void {
  if (database.isOpen) database.exec(`pragma max_page_count = ${full ? 1 : ROOM}`)
}
