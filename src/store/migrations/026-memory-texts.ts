import type { Migration } from './migration.ts'

/** What a memory file said when it was last known, so that a change from outside can be shown. */
export const memoryTexts: Migration = {
  name: 'memory-texts',
  statements: () => ['alter table memory_files add column text text'],
}
