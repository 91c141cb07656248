import type { Run } from '../../src/contract/runs.ts'
import type { Clock } from '../../src/lib/clock.ts'
import { builtPage } from '../kit/browser.ts'
import { cast } from '../kit/cast.ts'
import { putMemory, trust } from '../kit/memory.ts'
import { boardBecomes, boardOf, runBecomes, startRun } from '../kit/runs.ts'
import { HOUR, say, settled, trigger } from '../kit/triggers.ts'
import { createWorld, type World } from '../kit/world.ts'
import { goal, NODE, script, spends } from './script.ts'

const DAY = 24 * HOUR

const files = {
  'README.md': '# notekeeper\n\nNotes that stay yours.\n',
  'src/store.ts':
    'export interface Store {\n  put(note: Note): Promise<void>\n  find(words: string): Promise<Note[]>\n}\n',
  'src/sync/merge.ts':
    '// Two versions of a note become one, or both stay.\nexport const merge = (a: Note, b: Note) => [a, b]\n',
  'test/import.test.ts': "test('imports', async () => {\n  start()\n  await pause(50)\n})\n",
  '.troupe/agents/journal/agent.json': JSON.stringify({
    description: 'Writes a page about each day.',
    model: 'lab/small',
  }),
}

/** Who is on the stage, and the one run that is open. */
export interface Stage {
  readonly world: World
  readonly run: Run
  /** The node of it whose worker asks. */
  readonly node: string
  readonly sessions: Readonly<Record<'flaky' | 'storage', string>>
}

/** A project in the middle of its work, with two weeks behind it: something of every kind that the page can show. */
export async function setStage(): Promise<Stage> {
  let ago = 13 * DAY
  const clock: Clock = { now: () => Date.now() - ago }
  const world = await createWorld({
    clock,
    page: builtPage(),
    named: 'notekeeper',
    settings: { limits: { dailyCostUsd: 20 } },
    provider: {
      prices: Object.fromEntries(
        ['test-model', 'small', 'coder', 'writer', 'fixer'].map((name) => [
          name,
          { input: 30, output: 60, contextWindow: 200_000 },
        ]),
      ),
    },
    files: {
      ...files,
      ...cast({
        coder: { description: 'Writes code and its tests.', permissions: { allow: ['edit_file'] } },
        writer: { description: 'Writes what people read.', limits: { maxCostUsd: 0.5 } },
        fixer: { description: 'Repairs small things.' },
      }),
    },
  })
  play(world)
  await trust(world)
  memories(world)
  const move = async (to: number): Promise<void> => {
    ago = to
    world.server.core.alarm(0)
    await settled(world)
  }
  await triggers(world)
  await weeks(world, move)
  await move(2 * HOUR)
  await past(world)
  await move(0)
  const run = await running(world)
  const node = (await boardOf(world, run)).nodes.find(({ status }) => status === 'waiting')!.id
  return { world, run, node, sessions: await talking(world) }
}

/** Answers with the part of the newest node in the log, else of the first words in it, step by step; the last step repeats. */
function play({ vendor }: World): void {
  vendor.script((request) => {
    const { messages } = request
    const given = messages.findLastIndex(({ role, text }) => role === 'user' && NODE.test(text))
    const told = given === -1 ? messages[0]!.text : NODE.exec(messages[given]!.text)![1]!
    const steps = Object.entries(script).find(([word]) => told.includes(word))?.[1] ?? [{ text: 'Noted.' }]
    const made = messages.slice(given + 1).filter(({ role }) => role === 'assistant').length
    const step = steps[Math.min(made, steps.length - 1)]!
    return typeof step === 'function' ? step(request) : step
  })
}

/** Something was spent on every day. */
async function weeks(world: World, move: (ago: number) => Promise<void>): Promise<void> {
  const session = await world.session({ agent: 'coder', title: 'Fixtures' })
  for (let day = 13; day > 0; day -= 1) {
    await move(day * DAY)
    world.vendor.queue({ model: 'coder' }, { text: 'Noted.', ...spends(300 + 240 * ((day * 5) % 7)) })
    await world.say(session.id, `tidy the fixtures, day ${14 - day}`)
  }
}

function memories(world: World): void {
  putMemory(
    world,
    'MEMORY.md',
    '# notekeeper\n\n- Tests run with `npm test`; they need no network.\n- Dates are ISO, always in UTC.\n',
  )
  putMemory(
    world,
    'topics/sync.md',
    '# Sync\n\n## Conflicts\n\nBoth versions stay until a person chose.\n\n## Speed\n\nA round takes 80 ms over a slow line.\n',
  )
}

async function triggers(world: World): Promise<void> {
  await trigger(world, {
    name: 'morning-digest',
    type: 'scheduled',
    config: { cron: '0 4 * * *' },
    action: say('writer', 'tidy the fixtures'),
  })
  await trigger(world, {
    name: 'inbox-sweeper',
    type: 'heartbeat',
    config: { intervalSeconds: 3600 },
    action: say('fixer', 'tidy the fixtures'),
  })
  const nightly = await trigger(world, {
    name: 'nightly-docs-check',
    type: 'scheduled',
    config: { cron: '0 2 * * MON-FRI', timeZone: 'Europe/Berlin' },
    action: say('coder', 'tidy the fixtures'),
  })
  await world.ok('PATCH', `/api/triggers/${nightly.id}`, { status: 'paused' })
}

/** What is over: a run, a task that was done and one that failed. */
async function past(world: World): Promise<void> {
  await runBecomes(world, await startRun(world, 'Say what is new in 0.9'), 'finished')
  for (const prompt of ['tidy the fixtures', 'Upgrade to Vite 8'])
    await world.ok('POST', '/api/tasks', { agent: 'fixer', input: { prompt } })
  await world.eventually(async () => {
    const { items } = await world.ok<{ items: { status: string }[] }>('GET', '/api/tasks')
    return items.some(({ status }) => status === 'failed')
  })
}

async function running(world: World): Promise<Run> {
  const run = await startRun(world, goal, { limits: { maxCostUsd: 5 } })
  await boardBecomes(world, run, { 'SQLite with full text search': 'finished', 'Crash and conflict cases': 'waiting' })
  return run
}

async function talking(world: World): Promise<Stage['sessions']> {
  const flaky = await world.session({ agent: 'coder', title: 'Flaky import test' })
  await world.say(flaky.id, 'make the import test stable')
  const storage = await world.session({ agent: 'coder', title: 'Storage interface' })
  await world.say(storage.id, 'add the storage interface')
  const typos = await world.session({ agent: 'fixer', title: 'README typos' })
  await world.say(typos.id, 'fix the typos')
  await world.ok('POST', '/api/tasks', { agent: 'writer', input: { prompt: 'Write the release notes' } })
  await world.eventually(async () => (await world.inbox()).length >= 3)
  return { flaky: flaky.id, storage: storage.id }
}
