import type { Migration } from './migration.ts'

/** An answer that a limit on its length cut short. */
export const cutAnswers: Migration = {
  name: 'cut-answers',
  statements: () => ['alter table messages add column cut bigint not null default 0'],
}
