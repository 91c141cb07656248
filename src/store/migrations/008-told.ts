import type { Migration } from './migration.ts'

export const told: Migration = {
  name: 'told',
  statements: () => [`alter table prompts add column told text not null default '{}'`],
}
