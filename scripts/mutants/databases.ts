import pg from 'pg'

/** Takes away what a run of the tests left in its PostgreSQL: hundreds of runs would fill the disk. */
export async function dropDatabases(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: `${url}/postgres` })
  await client.connect()
  const { rows } = await client.query<{ datname: string }>(
    // The one that all others are copies of stays.
    "select datname from pg_database where datname ~ '^t[0-9a-f]{16}$'",
  )
  for (const { datname } of rows) await client.query(`drop database "${datname}" with (force)`)
  await client.end()
}
