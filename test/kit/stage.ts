import type { Run } from '../../src/contract/runs.ts'
import type { Clock } from '../../src/lib/clock.ts'
import { builtPage } from './browser.ts'
import { cast } from './cast.ts'
import { putMemory, trust } from './memory.ts'
import { boardBecomes, nodesIn, runBecomes, stage, startRun, takeOn, untilTold, workNode } from './runs.ts'
import { publish, tell } from './script.ts'
import { HOUR, say, settled, trigger } from './triggers.ts'
import type { Reply, SeenRequest } from './vendor/reply.ts'
import { createWorld, type World } from './world.ts'

const DAY = 24 * HOUR
const never: Reply = { delay: new Promise(() => {}) }
const spends = (input: number) => ({ usage: { input: input * 100, output: 200 } })

const goal = 'Compare three ways to store notes and recommend one'
const question = {
  name: 'ask_human',
  input: {
    question: 'When two devices changed the same note, may the app keep both versions?',
    options: ['Keep both, show a choice', 'Last writer wins', 'Merge line by line'],
  },
}
const write = (path: string, content: string) => ({ name: 'write_file', input: { path, content } })
const bash = (command: string) => ({ name: 'bash', input: { command } })
/** A worker is given a node by its id, and on the next line its title. */
const NODE = /^node_[0-9a-f]+\n(.+)/m
const scratch = (text: string): string => `nodes/${/node_[0-9a-f]+/.exec(text)?.[0]}/scratch`

/** What everybody says, by the first words that they were told. */
const script: Readonly<Record<string, readonly (Reply | ((request: SeenRequest) => Reply))[]>> = {
  'Write down what is wanted': [
    ({ lastUserText }) => ({
      text: 'I collect what the issues say.',
      calls: [write(`${scratch(lastUserText)}/wanted.md`, '# What is wanted\n\n- offline first\n- no lost note\n')],
      ...spends(90),
    }),
    { calls: [publish('Five needs, the first two are not negotiable.')], ...spends(20) },
    { text: 'Done.' },
  ],
  'SQLite with full text': [
    { calls: [tell('Ben', 'First round: SQLite answers a search in 4.1 ms. What does yours take?')], ...spends(120) },
    ({ messages }) => ({
      calls: [
        write(
          `${scratch(messages.map(({ text }) => text).join())}/sqlite.md`,
          '# SQLite\n\n| notes | search |\n|---|---|\n| 1,000 | 1.2 ms |\n| 50,000 | 4.1 ms |\n',
        ),
      ],
      ...spends(60),
    }),
    { calls: [publish('4.1 ms over 50,000 notes; one file; needs an export.')], ...spends(40) },
    { text: 'Done.' },
  ],
  'Markdown files with an index': [{ calls: [{ name: 'list_dir', input: { path: '.' } }], ...spends(70) }, never],
  'Crash and conflict cases': [{ calls: [question], ...spends(80) }, never],
  [goal]: [
    { text: 'Three look at one way each.', calls: [takeOn('Ada'), takeOn('Ben'), takeOn('Cyd')], ...spends(60) },
    { calls: [workNode('Write down what is wanted', { worker: 'Ada' })], ...spends(30) },
    (request) => {
      const [wanted] = nodesIn(request)
      const dependsOn = [wanted!]
      return {
        calls: [
          workNode('SQLite with full text search', { worker: 'Ada', dependsOn }),
          workNode('Markdown files with an index', { worker: 'Ben', dependsOn }),
          workNode('Crash and conflict cases\nKill it in the middle of a write, a hundred times.', {
            worker: 'Cyd',
            dependsOn,
          }),
        ],
        ...spends(40),
      }
    },
    (request) => {
      const [, ...ways] = nodesIn(request)
      return {
        calls: [stage('Three ways', ways), workNode('Recommend one', { worker: 'Ada', dependsOn: ways })],
        ...spends(40),
      }
    },
    { text: 'All three are at work. I go on when they are back.' },
  ],
  'Read the log of changes': [
    ({ lastUserText }) => ({
      calls: [
        write(
          `${scratch(lastUserText)}/notes.md`,
          '# 0.9\n\nSearch is **four times** as fast.\n\n- Notes with images sync\n- The import keeps dates\n',
        ),
      ],
      ...spends(50),
    }),
    { calls: [publish('Eleven changes that a person notices.')], ...spends(20) },
    { text: 'Done.' },
  ],
  'Say what is new in 0.9': [
    { calls: [takeOn('Dora'), workNode('Read the log of changes', { worker: 'Dora' })], ...spends(50) },
    untilTold('node_', 'Release notes for 0.9: search is four times as fast, and notes with images sync.'),
  ],
  'make the import test stable': [
    {
      text: 'I look at the test first.',
      calls: [{ name: 'read_file', input: { path: 'test/import.test.ts' } }],
      ...spends(80),
    },
    {
      calls: [
        {
          name: 'edit_file',
          input: { path: 'test/import.test.ts', old_string: 'await pause(50)', new_string: 'await imported' },
        },
      ],
      ...spends(60),
    },
    {
      text: 'The test waited for **50 ms** and hoped. It waits for the import itself now:\n\n```ts\nconst imported = once(store, "imported")\nawait imported\n```\n\nTwenty runs in a row passed.',
      ...spends(40),
    },
  ],
  'add the storage interface': [
    {
      text: 'I add a hook so that the tests run before every commit.',
      calls: [bash('npm install --save-dev husky@9 && npx husky init')],
      ...spends(90),
    },
    { text: 'It was not allowed; I leave it.' },
  ],
  'fix the typos': [{ calls: [bash('git push origin typos')], ...spends(40) }, { text: 'Left as it is.' }],
  'Write the release notes': [never],
  'Upgrade to Vite 8': [{ error: { kind: 'bad-request', message: 'The window of the model is full.' } }],
  'tidy the fixtures': [
    { text: 'There were 214 fixtures that no test reads; I listed them in fixtures.md.', ...spends(110) },
  ],
}

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
  return { world, run: await running(world), sessions: await talking(world) }
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
