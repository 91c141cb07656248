import { DatabaseSync } from 'node:sqlite'

/** The version of the SQLite library that is loaded; Node may have been built with another. */
export function loadedSqlite(): string {
  const connection = new DatabaseSync(':memory:')
  try {
    return String(connection.prepare('select sqlite_version() as version').get()?.version)
  } finally {
    connection.close()
  }
}

/** Unsound versions can damage a database when the write-ahead log is reset under a second connection. */
export function isSoundSqlite(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number)
  if (major !== 3) return major > 3
  return minor > 51 || (minor === 51 && patch >= 3) || (minor === 50 && patch >= 7) || (minor === 44 && patch >= 6)
}
