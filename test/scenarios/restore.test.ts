import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { type Desk, gone, openDesk } from '../kit/desk.ts'

let desk: Desk
afterEach(() => desk.close())

async function down(): Promise<void> {
  const pid = desk.server()?.pid
  await desk.run('down')
  if (pid !== undefined) await gone(pid)
}

const titles = async (): Promise<string[]> =>
  (await desk.json('sessions')).items.map(({ title }: { title: string }) => title)

test('a backup is put back, what was there is kept, and a restore of that brings it back too', async () => {
  desk = openDesk()
  await desk.run('send', 'assistant', 'First', '--wait', '--session', 'create')
  const { file } = await desk.json('backup')
  await desk.run('send', 'assistant', 'Second', '--wait', '--session', 'create')
  const refused = await desk.run('restore', file, '--yes')
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('down') })
  await down()
  const asked = await desk.run('restore', file)
  expect(asked).toMatchObject({ code: 2, err: expect.stringContaining('--yes') })
  const { kept } = await desk.json('restore', file, '--yes')
  expect(await titles()).toEqual(['First'])
  await down()
  expect((await desk.json('restore')).items.map((item: { file: string }) => item.file)).toContain(kept)
  await desk.run('restore', kept, '--yes')
  expect(await titles()).toEqual(['Second', 'First'])
})

test('a file that is no backup changes nothing, and a database that cannot be opened is kept byte by byte', async () => {
  desk = openDesk()
  await desk.run('send', 'assistant', 'First', '--wait')
  const { file } = await desk.json('backup')
  await down()
  const bad = desk.put('bad.db', 'This is a letter, not a database.')
  for (const wrong of [bad, join(desk.home, 'data.db'), join(desk.home, 'none.db')]) {
    expect(await desk.run('restore', wrong, '--yes')).toMatchObject({ code: 1, err: expect.stringContaining(wrong) })
  }
  expect(await titles()).toEqual(['First'])
  await down()
  writeFileSync(join(desk.home, 'data.db'), 'broken')
  const { kept } = await desk.json('restore', file, '--yes')
  expect(existsSync(kept)).toBe(true)
  expect(await titles()).toEqual(['First'])
})

test.for(['restore.kept', 'restore.placed'])('a kill at %s leaves the one state or the other', async (point) => {
  desk = openDesk()
  await desk.run('send', 'assistant', 'First', '--wait', '--session', 'create')
  const { file } = await desk.json('backup')
  await desk.run('send', 'assistant', 'Second', '--wait', '--session', 'create')
  await down()
  const killed = desk.start(['restore', file, '--yes'], { env: { TROUPE_CRASH_AT: point } })
  await killed.done
  expect(await titles()).toEqual(point === 'restore.kept' ? ['Second', 'First'] : ['First'])
  await down()
  await desk.run('restore', file, '--yes')
  expect(await titles()).toEqual(['First'])
  expect(readdirSync(desk.home).filter((name) => name.endsWith('.part'))).toEqual([])
})
