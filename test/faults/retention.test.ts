import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { cast } from '../kit/cast.ts'
import { stores } from '../kit/database.ts'
import { createWorld, type World } from '../kit/world.ts'

const script = fileURLToPath(new URL('./keep-house.ts', import.meta.url))

/** One kill after the other, each with what the one before left: first of tasks, then of two sessions, then of events. */
const points = [
  'retention.archived',
  'retention.tasks.before-commit',
  'retention.tasks.after-commit',
  'retention.archived',
  'retention.session.before-commit',
  'retention.session.after-commit',
  'retention.removed',
  'retention.events.before-commit',
  'retention.events.after-commit',
]

/** What PostgreSQL does otherwise is the commit. */
const few = ['retention.archived', 'retention.session.before-commit', 'retention.session.after-commit']

test.for(stores)(
  'kills while old rows leave %s keep each row in the database or in the archive, and in one of them only',
  { timeout: 240_000 },
  async (store) => {
    const world = await createWorld({ store, files: cast('ann', 'ben') })
    world.vendor.queue(
      { model: 'ann' },
      { calls: [{ name: 'agent_spawn', input: { agent: 'ben', instruction: 'Dig' } }] },
    )
    const ann = await world.session({ agent: 'ann' })
    await world.say(ann.id, 'Have a hole dug')
    const before = await rowsOf(world)
    await world.server.stop()
    const env = { ...process.env, ...world.env }
    for (const point of store === 'sqlite' ? points : few) {
      await expect(run(world, { ...env, TROUPE_CRASH_AT: point }), point).rejects.toMatchObject({ signal: 'SIGKILL' })
    }
    await run(world, env)
    await world.restart()
    const left = await rowsOf(world)
    expect(left.messages).toEqual([])
    expect(left.tasks).toEqual([])
    const archived = archivedIn(world.home)
    expect(archived.filter(({ table }) => table === 'messages').length).toBe(before.messages.length)
    expect(archived.filter(({ table }) => table === 'tasks').map(({ id }) => id)).toEqual(before.tasks)
    const events = archived.filter(({ table }) => table === 'events').map(({ id }) => id)
    expect(new Set(events).size).toBe(events.length)
    expect(events).toEqual(expect.arrayContaining(before.events))
  },
)

const run = ({ home, project }: World, env: NodeJS.ProcessEnv) =>
  promisify(execFile)(process.execPath, [script, home, project, '91'], { env })

async function rowsOf({ server }: World) {
  const { read } = server.core.store
  const ids = (rows: readonly { id: unknown }[]) => rows.map(({ id }) => id).toSorted()
  return {
    messages: await read.selectFrom('messages').select('seq').execute(),
    tasks: ids(await read.selectFrom('tasks').select('id').execute()),
    events: ids(await read.selectFrom('events').select('id').execute()),
  }
}

const archivedIn = (home: string): { table: string; id: unknown }[] =>
  readdirSync(join(home, 'archive')).flatMap((name) =>
    gunzipSync(readFileSync(join(home, 'archive', name)))
      .toString()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  )
