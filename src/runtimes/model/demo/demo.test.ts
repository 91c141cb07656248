import { expect, test } from 'vitest'
import { message, takeStep, tool, user } from '../../../../test/kit/vendor/runtime.ts'
import { callsOf, type Message, textOf } from '../../../contract/messages.ts'
import { systemClock } from '../../../lib/clock.ts'
import { createModelRuntime } from '../index.ts'

const model = 'demo/demo'
const runtimeWith = (demoDelayMs: number) =>
  createModelRuntime({ env: {}, settings: () => ({ providers: {} }), clock: systemClock, demoDelayMs })
const runtime = runtimeWith(0)
const tools = [
  ...['list_dir', 'read_file', 'write_file', 'bash', 'ask_human', 'todo_write', 'grep'],
  ...['agent_message', 'agent_send', 'agent_spawn'],
].map((name) => tool(name))
const step = (history: Message[]) => takeStep(runtime, { model, history, tools })

/** Plays a conversation to its end, answering each call with the next output. */
async function play(text: string, ...outputs: { output: unknown; error?: boolean }[]) {
  const history = [user(text)]
  const calls: { name: string; input: unknown }[] = []
  for (;;) {
    const { parts, finish } = await step(history)
    history.push(message({ role: 'assistant', parts: [...parts], model }))
    const [call] = callsOf(parts)
    if (!call) return { calls, said: textOf(parts), finish, history }
    calls.push({ name: call.name, input: call.input })
    const result = { ...call, type: 'tool-result' as const, ...(outputs.shift() ?? { output: 'ok' }) }
    history.push(message({ role: 'tool', parts: [{ ...result }] }))
  }
}

test('says that it is scripted in its first reply, and only there', async () => {
  const { said, history } = await play('good morning')
  expect(said).toMatch(/^\(scripted demo model\)/)
  expect(said).toContain('ANTHROPIC_API_KEY')
  const second = await step([...history, user('and now?')])
  expect(textOf(second.parts)).not.toContain('(scripted demo model)')
})

test('offers only what its tools can do', async () => {
  const offered = async (...names: string[]): Promise<string[]> => {
    const given = tools.filter(({ name }) => names.includes(name))
    const { parts } = await takeStep(runtime, { model, history: [user('good morning')], tools: given })
    return [...textOf(parts).matchAll(/"([^"]+)"/g)].flatMap(([, text = '']) => text)
  }
  expect(await offered('read_file', 'grep')).toEqual(['read README.md', 'find TODO in the code'])
  expect(await offered()).toEqual([])
  const all = await offered(...tools.map(({ name }) => name))
  expect(all).toContain('write notes.md: buy milk')
  for (const text of all) expect((await play(text)).calls).not.toEqual([])
})

test.each([
  ['list the files', [{ name: 'list_dir', input: { path: '.' } }]],
  ['Please show me the files in src/core', [{ name: 'list_dir', input: { path: 'src/core' } }]],
  ['read README.md', [{ name: 'read_file', input: { path: 'README.md' } }]],
  ['run ls -la | head', [{ name: 'bash', input: { command: 'ls -la | head' } }]],
  ['find TODO in the code', [{ name: 'grep', input: { pattern: 'TODO' } }]],
  [
    'ask the researcher to list the files',
    [{ name: 'agent_message', input: { to: 'researcher', message: 'list the files' } }],
  ],
  ['tell writer hello', [{ name: 'agent_send', input: { to: 'writer', message: 'hello' } }]],
  ['have coder find TODO', [{ name: 'agent_spawn', input: { agent: 'coder', instruction: 'find TODO' } }]],
  ['ask me about lunch', [{ name: 'ask_human', input: { question: 'What should I know about lunch?' } }]],
  [
    'plan: pack, drive',
    [
      {
        name: 'todo_write',
        input: {
          todos: [
            { content: 'pack', status: 'in_progress', priority: 'medium' },
            { content: 'drive', status: 'pending', priority: 'medium' },
          ],
        },
      },
    ],
  ],
  [
    'write notes.md: buy milk',
    [
      { name: 'write_file', input: { path: 'notes.md', content: 'buy milk\n' } },
      { name: 'read_file', input: { path: 'notes.md' } },
    ],
  ],
])('does "%s" with the real tools and tells what came of it', async (text, expected) => {
  const outputs = expected.map((_, index) => ({ output: `output ${index}` }))
  const { calls, said, finish } = await play(text, ...outputs)
  expect(calls).toEqual(expected)
  expect(said).toContain(`output ${expected.length - 1}`)
  expect(finish).toBe('stop')
})

test('shows a team: a list, a helper for each line of it, and what each of them hands back', async () => {
  const answers = ['(scripted demo model) a.txt', 'b.txt:1'].map((output) => ({
    output: { status: 'complete', output },
  }))
  const { calls, said } = await play('show me the team', { output: 'ok' }, answers[0]!, { output: 'ok' }, answers[1]!)
  expect(calls.map(({ name }) => name)).toEqual([
    'todo_write',
    'agent_spawn',
    'todo_write',
    'agent_spawn',
    'todo_write',
  ])
  expect(calls.at(-1)?.input).toMatchObject({ todos: [{ status: 'completed' }, { status: 'completed' }] })
  expect(said).toContain('researcher hands back:\na.txt\n\ncoder hands back:\nb.txt:1')
})

test('is short with each of several results, and tells a single one whole', async () => {
  const long = Array.from({ length: 9 }, (_, line) => `file ${line}`).join('\n')
  const handed = { output: { status: 'complete', output: long } }
  const { said } = await play('show me the team', { output: 'ok' }, handed, { output: 'ok' }, handed)
  expect(said.match(/file 3\n… and 5 more lines/g)).toHaveLength(2)
  expect(said).not.toContain('file 4')
  expect((await play('have coder find TODO', handed)).said).toContain(long)
})

test('says what another agent answered, not how the answer was wrapped', async () => {
  const { said } = await play('ask researcher to count', {
    output: { status: 'complete', response: 'There are three.' },
  })
  expect(said).toContain('researcher answers:\nThere are three.')
})

test('stops and reports when a call fails or is denied', async () => {
  const { calls, said } = await play('write a.md', { output: 'Denied by the person: not now', error: true })
  expect(calls).toHaveLength(1)
  expect(said).toContain('Denied by the person: not now')
})

test('says which tool it is missing instead of calling it', async () => {
  const { parts, finish } = await takeStep(runtime, { model, history: [user('run ls')], tools: [] })
  expect(textOf(parts)).toContain('bash')
  expect(callsOf(parts)).toEqual([])
  expect(finish).toBe('stop')
})

test('the same log gives the same words, streamed in small pieces', async () => {
  const history = [user('good morning')]
  const [one, two] = [await step(history), await step(history)]
  expect(one.deltas).toEqual(two.deltas)
  expect(one.deltas.length).toBeGreaterThan(10)
  expect(one.deltas.map((delta) => delta.text).join('')).toBe(textOf(one.parts))
})

test('an abort ends it with what it has said so far', async () => {
  const stop = new AbortController()
  let said = ''
  const result = await takeStep(runtimeWith(60_000), {
    model,
    tools,
    history: [user('list the files')],
    signal: stop.signal,
    onDelta: (_kind, text) => {
      said += text
      stop.abort()
    },
  })
  expect(result).toMatchObject({ finish: 'aborted', parts: [{ type: 'text', text: said }] })
  expect(callsOf(result.parts)).toEqual([])
})

/** A worker's log, from the node it is given to the call that it does not make. */
async function playWorker(text: string, names: string[], answers: Record<string, unknown> = {}) {
  const history = [message({ role: 'user', from: { kind: 'system' }, parts: [{ type: 'text', text }] })]
  const given = ['create_work_node', ...names].map((name) => tool(name))
  const calls: { name: string; input: unknown }[] = []
  for (;;) {
    const { parts } = await takeStep(runtime, { model, history, tools: given })
    history.push(message({ role: 'assistant', parts: [...parts], model }))
    const [call] = callsOf(parts)
    if (!call) return { calls, said: textOf(parts) }
    calls.push({ name: call.name, input: call.input })
    const result = { ...call, type: 'tool-result' as const, output: answers[call.name] ?? 'ok' }
    history.push(message({ role: 'tool', parts: [result] }))
  }
}

test('a worker of a run leaves a file that can be read and publishes it; without publish its words are the result', async () => {
  const node = 'node_1a\nWeigh the options\nGoal: Keep notes\nProduce options.md'
  const answers = { ask_human: { answer: 'that it is quick' } }
  const { calls, said } = await playWorker(node, ['ask_human', 'suggest_next', 'write_file', 'publish'], answers)
  expect(calls.map(({ name }) => name)).toEqual(['ask_human', 'suggest_next', 'write_file', 'publish'])
  expect(calls[2]!.input).toMatchObject({
    path: 'nodes/node_1a/scratch/options.md',
    content: expect.stringMatching(/# Weigh the options\n\nGoal: Keep notes[\s\S]*The person chose: that it is quick/),
  })
  expect(calls[3]!.input).toMatchObject({ summary: 'The person wants that it is quick. It is in options.md.' })
  expect(said).toContain('done')
  const words = await playWorker(node, ['ask_human', 'write_file'], answers)
  expect(words).toMatchObject({ calls: [{ name: 'ask_human' }], said: expect.stringContaining('that it is quick') })
})

test('who brings the results of others together reads them first', async () => {
  const node = `node_2b\nBring it together\nGoal: Keep notes\n\nWhat it builds on:\n- node_1a "Collect what is there", by Ada:\n'All.'`
  const { calls } = await playWorker(node, ['read_file', 'write_file', 'publish'], {
    read_file: '1\t# Collect what is there\n2\t\n3\tGoal: Keep notes\n4\t- a.txt\n5\t\n6\tThat is all.',
  })
  expect(calls[0]).toEqual({ name: 'read_file', input: { path: 'nodes/node_1a/published/facts.md' } })
  expect(calls[1]!.input).toMatchObject({
    content: expect.stringMatching(/## From facts\.md\n\n> - a\.txt\n>\n> That is all\.\n/),
  })
})
