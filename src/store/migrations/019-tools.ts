import type { Migration } from './migration.ts'

/** The tools that a session's searches loaded, beside the prompt that lists them. */
export const tools: Migration = {
  name: 'tools',
  statements: () => [`alter table prompts add column active text not null default '[]'`],
}
