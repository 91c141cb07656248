import { mkdirSync, symlinkSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { bin, openDesk } from '../kit/desk.ts'
import { putFile } from '../kit/files.ts'
import { tasksIn, waitFor } from '../kit/script.ts'
import { hasTmux, openTerminal, type Terminal } from '../kit/terminal.ts'
import { type Reply, type SeenRequest, startVendor, type Vendor } from '../kit/vendor/server.ts'
import { masksOf } from './masked.ts'

/** The screens in docs/screens are what the program shows here. "npm run screens" writes them anew. */
const folder = fileURLToPath(new URL('../../docs/screens', import.meta.url))

const desk = openDesk()
const { masked, timeless, wordsFrom } = masksOf(desk.project)
/** The program as one who installed it calls it, so that no path of this machine is on a screen. */
const installed = join(desk.project, '../installed')
const { promise: held, resolve: release } = Promise.withResolvers<void>()
let vendor: Vendor
let terminal: Terminal | undefined

const prices = { input: 2, output: 10 }
const agents = {
  lead: { model: 'lab/large', description: 'Leads.' },
  coder: { model: 'lab/small', description: 'Writes code.' },
  lost: { model: 'locked/large', description: 'Has a wrong key.' },
  twin: { model: 'lab/retired', fallbackModels: ['lab/small'], description: 'Has two models.' },
}

const never: Reply = { delay: new Promise(() => {}) }
const spawned = (instruction: string) => ({ name: 'agent_spawn', input: { agent: 'lead', instruction } })
const started = (agent: string, instruction: string) => ({
  name: 'agent_spawn',
  input: { agent, instruction, wait: false },
})

/** What each model answers, by how often it has answered in this conversation already. */
const script: Record<string, readonly (Reply | ((request: SeenRequest) => Reply))[]> = {
  'fix the build': [{ error: { kind: 'auth' } }],
  'say hello': [{ error: { kind: 'not-found', message: 'The model "retired" was shut down on 1 November.' } }],
  'find the todos': [
    {
      text: 'I hand the search to two helpers.',
      calls: [
        { name: 'agent_spawn', input: { agent: 'coder', instruction: 'List every TODO in src' } },
        { name: 'agent_spawn', input: { agent: 'coder', instruction: 'List every TODO in docs' } },
      ],
    },
    { text: 'Both are done: there is **one** TODO, in `src/main.ts`.' },
  ],
  'List every TODO in src': [
    { calls: [{ name: 'grep', input: { pattern: 'TODO', path: 'src' } }] },
    { text: 'There is one TODO:\n\n- src/main.ts:1 `// TODO: greet`', delay: held },
  ],
  'List every TODO in docs': [
    { calls: [{ name: 'glob', input: { pattern: 'docs/**/*.md' } }] },
    { text: 'There is none in docs.', delay: held },
  ],
  'have it cleaned': [
    { calls: [{ name: 'agent_spawn', input: { agent: 'coder', instruction: 'clean up' } }] },
    { text: 'It was not allowed.' },
  ],
  'ask everyone': [
    {
      calls: Array.from({ length: 6 }, (_, at) => started(at === 5 ? 'lead' : 'coder', at === 5 ? 'Go deep' : 'Wait')),
    },
    (request) => ({ calls: [waitFor(tasksIn(request))] }),
  ],
  'Go deeper': [{ calls: [spawned('Go deepest')] }],
  'Go deepest': [{ calls: [spawned('Go beyond')] }],
  'Go beyond': [never],
  'Go deep': [{ calls: [spawned('Go deeper')] }],
  Wait: [{ calls: [{ name: 'glob', input: { pattern: 'nothing/here' } }] }, never],
  'release it': [
    { calls: [todos('completed', 'in_progress', 'pending')] },
    { calls: [{ name: 'read_file', input: { path: 'src/main.ts' } }] },
    never,
  ],
  'clean up': [
    {
      text: 'I remove what the build left behind.',
      calls: [{ name: 'bash', input: { command: 'rm -rf build dist && git clean -ndx --exclude=node_modules' } }],
    },
    { text: 'Then I leave it.' },
  ],
  'let me in': [
    {
      calls: [
        {
          name: 'edit_file',
          input: {
            path: '.troupe/settings.json',
            old_string: '  "sandbox": "strict"',
            new_string: '  "sandbox": "off",\n  "permissions": { "allow": ["bash"] }',
          },
        },
      ],
    },
  ],
}

function todos(...states: string[]) {
  const contents = [
    'Run the tests',
    'Raise the version in package.json',
    'Write the changelog, with a line for each change',
  ]
  return { name: 'todo_write', input: { todos: contents.map((content, at) => ({ content, status: states[at] })) } }
}

function play(request: SeenRequest): Reply {
  const { messages, model } = request
  const first = messages.find(({ role }) => role === 'user')?.text ?? ''
  if (first.includes('say hello') && model === 'small') return { text: 'Hello from the second model.' }
  const steps = Object.entries(script).find(([words]) => first.includes(words))?.[1] ?? []
  const made = messages.filter(({ role }) => role === 'assistant').length
  const step = steps[Math.min(made, steps.length - 1)] ?? { text: 'Yes?' }
  return typeof step === 'function' ? step(request) : step
}

beforeAll(async () => {
  vendor = await startVendor()
  vendor.script(play)
  const lab = { type: 'openai-compatible', baseURL: vendor.baseURL, apiKey: 'test-key' }
  mkdirSync(desk.home, { recursive: true })
  mkdirSync(installed)
  symlinkSync(bin, join(installed, 'troupe'))
  putFile(join(desk.home, 'settings.json'), {
    limits: { maxConcurrentTasks: 20, dailyCostUsd: 'none' },
    providers: { lab: { ...lab, prices: { large: prices, small: prices } }, locked: lab },
  })
  for (const [name, definition] of Object.entries(agents))
    putFile(join(desk.home, `agents/${name}/agent.json`), definition)
  desk.put('.troupe/settings.json', '{\n  "sandbox": "strict"\n}\n')
  desk.put('src/main.ts', '// TODO: greet\n')
  desk.put('docs/guide.md', '# Guide\n')
  await desk.run('up', '--detach')
  await desk.run('trust', '--yes')
})
afterEach(() => terminal?.close())
afterAll(async () => {
  await desk.close()
  await vendor.close()
})

async function chat(agent: string, columns: number, ...more: string[]): Promise<Terminal> {
  const env = { PATH: [installed, process.env.PATH].join(delimiter) }
  terminal = openTerminal(desk, ['chat', agent, ...more], { columns, rows: 34, env })
  await terminal.shows(/Say something to|then Enter|Enter queues/)
  return terminal
}

/** The person says this in a new chat, until the screen shows it. */
async function screenOf(agent: string, columns: number, text: string, until: RegExp): Promise<string> {
  const opened = await chat(agent, columns, '--new')
  opened.type(text)
  opened.press('Enter')
  return opened.shows(until)
}

const kept = (name: string, columns: number): string => join(folder, `${name}-${columns}.txt`)

describe.runIf(hasTmux).each([80, 120])('the screens of the guide at %i columns', (columns) => {
  test('a failed turn says what is wrong and what helps, and says it again when the chat is opened anew', async () => {
    const screen = await screenOf('lost', columns, 'fix the build', /✗[\s\S]*idle/)
    await expect(masked(screen)).toMatchFileSnapshot(kept('failed-turn', columns))
    await terminal?.close()
    const again = await (await chat('lost', columns)).shows(/✗[\s\S]*idle/)
    expect(wordsFrom('fix the build', again)).toBe(wordsFrom('fix the build', screen))
  })

  test('a switch of models is told at its place, and the bottom line names the one that answered', async () => {
    const screen = await screenOf('twin', columns, 'say hello', /Hello from[\s\S]*idle/)
    expect(screen).toMatch(/twin [0-9a-f]+ · lab\/small/)
    await expect(masked(screen)).toMatchFileSnapshot(kept('model-switch', columns))
    await terminal?.close()
    const again = await (await chat('twin', columns)).shows(/Hello from[\s\S]*idle/)
    expect(wordsFrom('say hello', again)).toBe(wordsFrom('say hello', screen))
  })

  test('a checklist stays at the bottom while its work goes on, also in a chat that is opened meanwhile', async () => {
    const screen = await screenOf(
      'lead',
      columns,
      'release it',
      /▸ read_file[\s\S]*▸ Raise[\s\S]*240 tokens[\s\S]*working/,
    )
    await expect(masked(screen)).toMatchFileSnapshot(kept('checklist', columns))
    await terminal?.close()
    await (await chat('lead', columns)).shows(/▸ read_file[\s\S]*▸ Raise[\s\S]*240 tokens[\s\S]*working/)
  })

  test('an approval shows the command, and says which rule "always" writes', async () => {
    const screen = await screenOf('coder', columns, 'clean up', /waiting for you/)
    await expect(masked(screen)).toMatchFileSnapshot(kept('approval', columns))
  })

  test('an approval of an edit shows what goes and what comes', async () => {
    const screen = await screenOf('coder', columns, 'let me in', /waiting for you/)
    await expect(masked(screen)).toMatchFileSnapshot(kept('approval-edit', columns))
  })
})

describe.runIf(hasTmux).each([80, 120])('a run at %i columns', (columns) => {
  test('shows its nodes and workers, asks inline, and ends with the result', async () => {
    const env = { PATH: [installed, process.env.PATH].join(delimiter) }
    const words = ['run', 'Find out how to keep notes', '--model', 'demo/demo']
    terminal = openTerminal(desk, words, { columns, rows: 34, env })
    const screen = await terminal.shows(
      /waits for news[\s\S]*✓ Collect[\s\S]*\? Weigh[\s\S]*✓ Draft[\s\S]*2 of 3[\s\S]*waiting for you/,
    )
    await expect(timeless(screen)).toMatchFileSnapshot(kept('run', columns))
    terminal.type('2')
    terminal.press('Enter')
    await expect(timeless(await terminal.shows('exit 0'))).toMatchFileSnapshot(kept('run-done', columns))
  })
})

describe.runIf(hasTmux)('a run on the screens of the guide', () => {
  test('whoever leaves it is told how to come back, and sees it again', async () => {
    const words = ['run', 'Find out how to keep notes', '--model', 'demo/demo']
    terminal = openTerminal(desk, words, { columns: 120, rows: 34 })
    await terminal.shows('waiting for you')
    terminal.press('C-c')
    const left = await terminal.shows('exit 0')
    await terminal.close()
    const [, run = 'none'] = /runs watch ([0-9a-f]+)/.exec(left) ?? []
    terminal = openTerminal(desk, ['runs', 'watch', run], { columns: 120, rows: 34 })
    // What is typed while the run is still being read answers nothing.
    terminal.type('1\n')
    await terminal.shows(/\? Weigh[\s\S]*waiting for you/)
    terminal.type('/pause')
    terminal.press('Enter')
    await terminal.shows(/coordinator [0-9a-f]+ paused[\s\S]*paused · \? waiting for you/)
    terminal.type('/resume')
    terminal.press('Enter')
    await terminal.shows(/coordinator [0-9a-f]+ waits for news[\s\S]*\$0 · \? waiting for you/)
    terminal.type('@nobody hello')
    terminal.press('Enter')
    await terminal.shows(/✗ .*"nobody"/)
    terminal.press('C-u')
    terminal.type('@coordinator how is it?')
    terminal.press('Enter')
    await terminal.shows(/› coordinator: how is it\?/)
    terminal.type('1')
    terminal.press('Enter')
    await terminal.shows(/that it is quick[\s\S]*is looked into[\s\S]*exit 0/)
  })
})

describe.runIf(hasTmux)('helpers on the screens of the guide', () => {
  test('a helper that needs the person asks in the chat of whoever it works for, and goes on', async () => {
    const screen = await screenOf('lead', 80, 'have it cleaned', /waiting for you/)
    await expect(masked(screen)).toMatchFileSnapshot(kept('helper-asks', 80))
    terminal!.type('d not now')
    terminal!.press('Enter')
    const after = await terminal!.shows(/It was not allowed[\s\S]*idle/)
    expect(after).toMatch(/→ deny: not now[\s\S]*coder [0-9a-f]+ ✓/)
  })

  test('of many helpers the newest are shown, with helpers of their own below them and no deeper', async () => {
    const screen = await screenOf(
      'lead',
      120,
      'ask everyone',
      /\+2 more\n( {4}coder .* nothing\/here\n){3}[\s\S]*Go deepest/,
    )
    expect(screen.match(/^ {4}lead [0-9a-f]+ ▸ agent_spawn lead: Go deeper/gm)).toHaveLength(1)
    expect(screen.match(/^ {6}lead [0-9a-f]+ ▸ agent_spawn lead: Go deepest/gm)).toHaveLength(1)
    expect(screen).not.toMatch(/^ {8}lead/m)
    expect(screen.match(/^ +coder [0-9a-f]+ ▸ glob nothing\/here/gm)).toHaveLength(3)
    terminal!.press('Escape')
    await terminal!.shows(/canceled[\s\S]*idle/)
  })

  test('helpers at work have a line each, also in a chat that is opened meanwhile, and what they did when they are done', async () => {
    const atWork = /coder [0-9a-f]+ ▸ grep[\s\S]*coder [0-9a-f]+ ▸ glob[\s\S]*working/
    const screen = await screenOf('lead', 80, 'find the todos', atWork)
    await expect(masked(screen)).toMatchFileSnapshot(kept('helpers', 80))
    await terminal?.close()
    const again = await (await chat('lead', 120)).shows(atWork)
    await expect(masked(again)).toMatchFileSnapshot(kept('helpers', 120))
    release()
    const done = await terminal!.shows(/Both are done[\s\S]*idle/)
    await expect(masked(done)).toMatchFileSnapshot(kept('helpers-done', 120))
  })
})
