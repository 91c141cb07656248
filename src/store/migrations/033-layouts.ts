import type { Migration } from './migration.ts'

/** How the person arranged the page. */
export const layouts: Migration = {
  name: 'layouts',
  statements: () => ['create table layouts (id text primary key, value text not null, updated_at bigint not null)'],
}
