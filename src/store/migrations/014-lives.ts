import type { Migration } from './migration.ts'

/** Tells a database from its copies; whoever opens it first gives it its name. */
export const lives: Migration = {
  name: 'lives',
  statements: () => ['create table lives (id text not null, place text not null)', `insert into lives values ('', '')`],
}
