import { expect, test } from 'vitest'
import { cast } from '../../../test/kit/cast.ts'
import { troupe, troupeEnds } from '../../../test/kit/program.ts'
import { atRest, heard, sessionOf } from '../../../test/kit/records.ts'
import { boardOf, startRun } from '../../../test/kit/runs.ts'
import { parts } from '../../../test/kit/script.ts'
import { createWorld, type World } from '../../../test/kit/world.ts'

const inJson = async (world: World, ...words: string[]) => JSON.parse(await troupe(world, ...words, '--json'))

test('a trigger is made, listed, shown, fired by hand, paused, resumed and deleted', async () => {
  const world = await createWorld({ files: cast('ann') })
  expect(await troupe(world, 'triggers')).toContain('Nothing is set up. For example: troupe triggers create')
  const when = ['--cron', '0 9 * * MON-FRI', '--zone', 'Europe/Berlin', '--catch-up', 'none', '--max-fires', '5']
  const made = await inJson(
    world,
    'triggers',
    'create',
    ...when,
    '--to',
    'ann',
    '--message',
    'Look',
    '--name',
    'morning',
  )
  expect(made).toMatchObject({
    config: { cron: '0 9 * * MON-FRI', timeZone: 'Europe/Berlin' },
    action: { type: 'send', to: 'ann', message: 'Look' },
    catchUp: 'none',
    maxFires: 5,
    name: 'morning',
  })
  const short = made.id.slice('trigger_'.length, 'trigger_'.length + 8)
  expect(await troupe(world, 'triggers')).toMatch(new RegExp(`${short} +morning .*send to ann +active +20`))
  expect(await troupe(world, 'triggers', 'fires', short)).toContain('It has not been due yet.')
  expect(await troupe(world, 'triggers', 'fire', short)).toMatch(/^✓ fired: mailId mail_\w+, outcome started/)
  await atRest(world)
  expect(await heard(world, await sessionOf(world, 'ann'))).toEqual([expect.stringContaining('Look')])
  expect(await troupe(world, 'triggers', 'show', short)).toMatch(/fires +1 of 5\n/)
  expect(await troupe(world, 'triggers', 'fires', short)).toMatch(/fired +mailId/)
  expect(await troupe(world, 'triggers', 'pause', short)).toBe(`✓ ${short} is paused\n`)
  expect(await troupe(world, 'triggers', 'resume', short)).toMatch(new RegExp(`^✓ ${short} is active: next at 20`))
  expect(await troupe(world, 'triggers', 'delete', short)).toBe(`✓ ${short} morning is deleted.\n`)
  expect(await troupeEnds(world, 'triggers', 'show', short)).toMatchObject({ code: 1, out: '' })
})

test('a trigger for the latest run puts a node on its board', async () => {
  const world = await createWorld()
  parts(world, { 'Build it': [{ text: 'Later.' }], 'Paint it': [{ text: 'Painted.' }] })
  const run = await startRun(world, 'Build it')
  const when = ['triggers', 'create', '--in', '2h', '--run', 'latest', '--prompt', 'Paint it']
  const made = await inJson(world, ...when)
  expect(made).toMatchObject({ action: { type: 'run_node', run: run.id, task: 'Paint it' } })
  await troupe(world, 'triggers', 'fire', made.id)
  expect((await boardOf(world, run)).nodes.map(({ title }) => title)).toEqual(['Paint it'])
})

test.for([
  ['no time', ['--to', 'ann', '--message', 'Look'], '--cron'],
  ['two times', ['--in', '10m', '--cron', '* * * * *', '--to', 'ann', '--message', 'Look'], '--cron'],
  ['nothing to do', ['--in', '10m'], '--to'],
  ['a run and nothing to do in it', ['--in', '10m', '--run', 'latest'], '--prompt'],
  ['two things to do', ['--in', '10m', '--run', 'latest', '--prompt', 'Dig', '--webhook', 'https://x.example'], '--to'],
  ['a time that is none', ['--in', 'soon', '--to', 'ann', '--message', 'Look'], 'soon'],
  [
    'a policy that is none',
    ['--in', '10m', '--to', 'ann', '--message', 'Look', '--catch-up', 'some'],
    'one, none or all',
  ],
] as const)('a trigger with %s is refused before the server is asked', async ([, words, said]) => {
  const world = await createWorld()
  const refused = await troupeEnds(world, 'triggers', 'create', ...words)
  expect(refused).toMatchObject({ code: 2, out: '', err: expect.stringContaining(said) })
})

test('a daemon is started, listed and stopped; an agent without a heartbeat file says what is missing', async () => {
  const files = { ...cast('ann', 'ben'), '../home/agents/ann/heartbeats/garden.md': 'Water the plants.\n' }
  const world = await createWorld({ files })
  expect(await troupe(world, 'daemon')).toContain('Start one with "troupe daemon start <agent>"')
  expect(await troupe(world, 'daemon', 'start', 'ann', '--every', '20m')).toMatch(
    /^✓ ann\/garden is active; looks next at 20/,
  )
  expect(await inJson(world, 'daemon', 'list')).toMatchObject({
    items: [{ agent: 'ann', heartbeat: 'garden', trigger: { config: { intervalSeconds: 1200 } } }],
  })
  expect(await troupe(world, 'daemon', 'list')).toMatch(/ann +garden +active +20/)
  expect(await troupe(world, 'daemon', 'stop', 'ann')).toBe('✓ ann/garden is paused\n')
  const missing = await troupeEnds(world, 'daemon', 'start', 'ben')
  expect(missing).toMatchObject({ code: 1, out: '', err: expect.stringContaining('heartbeats') })
})
