import { expect, test } from 'vitest'
import { cast } from '../kit/cast.ts'
import { spawn } from '../kit/script.ts'
import { createWorld } from '../kit/world.ts'

test('an approval shows who asked whom for it; of a long instruction the beginning', async () => {
  const world = await createWorld({ files: cast({ ann: {}, cody: {} }) })
  const instruction = `Begin\n${'with care '.repeat(20)}`
  world.vendor.queue({ model: 'ann' }, { calls: [spawn('cody', instruction)] })
  world.vendor.queue({ model: 'cody' }, { calls: [{ name: 'bash', input: { command: 'touch ran' } }] })
  const ann = await world.session({ agent: 'ann' })
  await world.send(ann.id, 'Start')
  const item = await world.eventually(async () => (await world.inbox())[0])
  const cody = item.from!.handle
  const line = `  ann ${ann.handle} → cody ${cody}: Begin ${'with care '.repeat(20).slice(0, 94)}…`
  expect(item.body.split('\n')).toEqual(expect.arrayContaining([`  the person → ann ${ann.handle}`, line]))
})
