import type { Migration } from './migration.ts'

/** What the hooks of a call said, and which hooks a session has. */
export const hooks: Migration = {
  name: 'hooks',
  statements: () => ['alter table calls add column hooked text', 'alter table sessions add column hooks text'],
}
