import { isPostgres } from './drivers/dialect.ts'
import { prepared } from './drivers/prepared.ts'
import type { Db } from './tables.ts'

export async function putProject(db: Db, project: { id: string; path: string }, at: number): Promise<void> {
  await db
    .insertInto('projects')
    .values({ ...project, created_at: at })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ path: project.path }))
    .execute()
}

/** Makes sure that the project is there, and locks nothing. */
export async function addProject(db: Db, project: { id: string; path: string }, at: number): Promise<void> {
  if ((await findProjectPath(db, project.id)) !== undefined) return
  await db
    .insertInto('projects')
    .values({ ...project, created_at: at })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
}

export async function findProjectPath(db: Db, id: string): Promise<string | undefined> {
  return (await selectPath(db, id))[0]?.path
}

const PROJECTS = 1000

/** The newest, where there are too many. */
export const selectProjects = (db: Db): Promise<{ id: string; path: string }[]> =>
  db.selectFrom('projects').select(['id', 'path']).orderBy('created_at', 'desc').limit(PROJECTS).execute()

/** Makes others who lock the project wait until this transaction ends; on SQLite the transaction itself is the lock. */
export async function lockProject(db: Db, id: string): Promise<void> {
  if (isPostgres(db)) await db.selectFrom('projects').select('id').where('id', '=', id).forNoKeyUpdate().execute()
}

const selectPath = prepared((db, id: string) => db.selectFrom('projects').select('path').where('id', '=', id))
