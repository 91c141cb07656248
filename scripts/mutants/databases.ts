import pg from 'pg'

/** Drops the databases that a run of the tests left: hundreds of runs would fill the disk. */
export async function dropDatabases(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: `${url}/postgres` })
  await client.connect()
  const { rows } = await client.query<{ datname: string }>(
    // The template, of which all others are copies, stays.
    "select datname from pg_database where datname ~ '^t[0-9a-f]{16}$'",
  )
  for (const { datname } of rows) await client.query(`drop database "${datname}" with (force)`)
  await client.end()
}
