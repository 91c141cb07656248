import type { Migration } from './migration.ts'

export const claimedTimers: Migration = {
  name: 'claimed timers',
  statements: () => [
    'alter table timers add column claimed_by text',
    'alter table timers add column claimed_until bigint',
    'create index timers_claimed on timers (claimed_until) where claimed_until is not null',
  ],
}
