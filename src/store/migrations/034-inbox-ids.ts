import type { Migration } from './migration.ts'

/** The beginning of an id is a range of an index by bytes. SQLite has one: it sorts every key so. */
export const inboxIds: Migration = {
  name: 'inbox-ids',
  statements: (dialect) => (dialect === 'sqlite' ? [] : ['create index inbox_bytes on inbox (id collate "C")']),
}
