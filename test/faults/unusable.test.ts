import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startServer } from '../../src/app.ts'
import { openDesk } from '../kit/desk.ts'
import { createWorld } from '../kit/world.ts'

const start = (home: string) => startServer({ home, project: home, env: {}, port: 0 })

test('a data folder that cannot be made or written is named, with the reason and the way out', async () => {
  const desk = openDesk()
  try {
    const file = desk.put('a-file', 'not a folder')
    for (const [home, why] of [
      ['/proc/nope', 'nothing can be made there'],
      [join(file, 'x'), 'it, or a part of its path, is a file'],
      [file, 'it, or a part of its path, is a file'],
    ] as const) {
      const { code, err } = await desk.run('agents', '--home', home)
      expect([code, err]).toEqual([1, expect.stringContaining(`The data folder ${home} cannot be used: ${why}.`)])
      expect(err).toContain('TROUPE_HOME')
      await expect(start(home)).rejects.toMatchObject({ code: 'home.unusable' })
    }
  } finally {
    await desk.close()
  }
})

test('a database that is none is named and left as it is', async () => {
  const world = await createWorld()
  await world.server.stop()
  const file = join(world.home, 'data.db')
  writeFileSync(file, 'x'.repeat(5000))
  await expect(start(world.home)).rejects.toMatchObject({
    code: 'store.unusable',
    message: `The database ${file} cannot be used: it is not a database.`,
    hint: expect.stringContaining('backup'),
  })
})

test('nothing is accepted once the database file is gone, and all goes on when it is back', async () => {
  const world = await createWorld()
  const session = await world.session()
  const file = join(world.home, 'data.db')
  renameSync(file, `${file}.away`)
  const refused = await world.call('POST', `/api/sessions/${session.id}/messages`, { body: { content: 'Hello' } })
  expect([refused.status, refused.json.error.code]).toEqual([503, 'store.removed'])
  expect((await world.call('GET', '/api/status')).json.error.message).toContain('was removed or replaced')
  renameSync(`${file}.away`, file)
  expect(await world.say(session.id, 'Hello')).toMatchObject({ end: 'done' })
})
