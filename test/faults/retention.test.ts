import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { afterAll, expect, test } from 'vitest'
import { cast } from '../kit/cast.ts'
import { stores } from '../kit/database.ts'
import { makeFolder } from '../kit/files.ts'
import { atRest } from '../kit/records.ts'
import { boardBecomes, startRun, workNode } from '../kit/runs.ts'
import { createWorld, type World } from '../kit/world.ts'
import { bundleHouse } from './house.ts'

const script = await bundleHouse(makeFolder(afterAll))

/** One kill after the other, each with what the one before left: of tasks, of a run, of sessions, then of events. */
const points = [
  'retention.archived',
  'retention.tasks.before-commit',
  'retention.tasks.after-commit',
  'retention.runs.before-commit',
  'retention.archived',
  'retention.session.before-commit',
  'retention.session.after-commit',
  'retention.removed',
  'retention.events.before-commit',
  'retention.events.after-commit',
]

/** What PostgreSQL does otherwise is the commit. */
const few = [
  'retention.archived',
  'retention.runs.before-commit',
  'retention.session.before-commit',
  'retention.session.after-commit',
]

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
    world.vendor.queue({ model: 'test-model' }, { calls: [workNode('Rest')] }, { text: 'I wait.' })
    const goal = await startRun(world, 'Nothing')
    await boardBecomes(world, goal, { Rest: 'finished' })
    await world.ok('POST', `/api/runs/${goal.id}/stop`)
    await atRest(world)
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
    expect([left.runs, left.nodes]).toEqual([[], []])
    const archived = archivedIn(world.home)
    expect(archived.filter(({ table }) => table === 'messages').length).toBe(before.messages.length)
    for (const kind of ['tasks', 'runs', 'nodes'] as const) {
      const ids = archived.filter(({ table }) => table === kind).map(({ id }) => id)
      expect(ids.toSorted(), kind).toEqual(before[kind])
    }
    const events = archived.filter(({ table }) => table === 'events').map(({ id }) => id)
    expect(new Set(events).size).toBe(events.length)
    expect(events).toEqual(expect.arrayContaining(before.events))
  },
)

test('kills while the person is told that old rows could not be archived leave one notice, and every row', {
  timeout: 240_000,
}, async () => {
  const world = await createWorld({ files: cast('ann') })
  const { id } = await world.session({ agent: 'ann' })
  await world.say(id, 'Hello')
  await world.server.stop()
  writeFileSync(join(world.home, 'archive'), 'in the way')
  const env = { ...process.env, ...world.env }
  for (const point of ['retention.failed.before-commit', 'retention.failed.after-commit'])
    await expect(run(world, { ...env, TROUPE_CRASH_AT: point }), point).rejects.toMatchObject({ signal: 'SIGKILL' })
  await run(world, env)
  await world.restart()
  expect((await world.inbox()).map(({ title }) => title)).toEqual(['Old rows could not be archived'])
  expect(await world.messages(id)).toHaveLength(2)
})

const run = ({ home, project }: World, env: NodeJS.ProcessEnv) =>
  promisify(execFile)(process.execPath, [script, home, project, '91'], { env })

async function rowsOf({ server }: World) {
  const { read } = server.core.store
  const ids = (rows: readonly { id: unknown }[]) => rows.map(({ id }) => id).toSorted()
  return {
    messages: await read.selectFrom('messages').select('seq').execute(),
    tasks: ids(await read.selectFrom('tasks').select('id').execute()),
    runs: ids(await read.selectFrom('runs').select('id').execute()),
    nodes: ids(await read.selectFrom('nodes').select('id').execute()),
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
