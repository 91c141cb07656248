import type { Migration } from './migration.ts'

export const makers: Migration = {
  name: 'makers',
  statements: () => [`alter table sessions add column makers text not null default '[]'`],
}
