import { mkdirSync, realpathSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { cast } from '../kit/cast.ts'
import { storesInTurn } from '../kit/database.ts'
import { atRest, notices, sessions, tasks } from '../kit/records.ts'
import { parts, spawn, tell } from '../kit/script.ts'
import type { SeenRequest } from '../kit/vendor/reply.ts'
import { createWorld, type World } from '../kit/world.ts'

const requestsOf = (world: World, word: string): SeenRequest[] =>
  world.vendor.requests.filter(({ messages }) => messages[0]?.text.includes(word))

describe.each(storesInTurn(import.meta.filename))('spawning on %s', (store) => {
  test('a child sees its own prompt and the instruction, and nothing of the conversation', async () => {
    const world = await createWorld({ store })
    parts(world, {
      secret: [{ text: 'Noted.' }, { calls: [spawn('researcher', 'Count the files')] }, { text: 'Three.' }],
      Count: [{ text: 'Three files.' }],
    })
    const parent = await world.session()
    await world.say(parent.id, 'The secret is 42')
    await world.say(parent.id, 'How many?')
    const [seen] = requestsOf(world, 'Count the files')
    expect(seen!.messages).toHaveLength(1)
    expect(seen!.messages[0]!.text).toMatch(/^\[message from assistant [0-9a-f]+\]\s+Count the files$/)
    expect(seen!.system).not.toBe(requestsOf(world, 'secret')[0]!.system)
    const [task] = await tasks(world)
    expect(await world.look(task!.session_id)).toMatchObject({
      agent: 'researcher',
      mode: 'subagent',
      parentSessionId: parent.id,
      taskId: task!.id,
      title: 'Count the files',
      status: 'closed',
    })
    const parked = (await world.events(parent.id)).find(({ type }) => type === 'call.parked')
    expect(parked?.data).toMatchObject({ kind: 'spawn', sessions: [task!.session_id] })
  })

  test('a summary is asked for when the last message is too long to be handed back, and only then', async () => {
    const world = await createWorld({ store })
    const long = 'All of it. '.repeat(300)
    parts(world, {
      Start: [
        {
          calls: [
            spawn('researcher', 'Long one', { returnMode: 'summary' }),
            spawn('researcher', 'Short one', { returnMode: 'summary' }),
            spawn('researcher', 'Whole one', { returnMode: 'lastMessage' }),
          ],
        },
        { text: 'Thanks.' },
      ],
      Long: [{ text: long }, { text: 'In short: all of it.' }],
      Short: [{ text: 'Just this.' }],
      Whole: [{ text: long }],
    })
    const parent = await world.session()
    await world.say(parent.id, 'Start')
    const results = (await world.results(parent.id)) as { output: string }[]
    expect(new Set(results.map(({ output }) => output))).toEqual(
      new Set(['In short: all of it.', 'Just this.', long.trim()]),
    )
    expect(requestsOf(world, 'Long').at(-1)!.lastUserText).toContain('too long to be handed back')
    expect(requestsOf(world, 'Long')).toHaveLength(2)
    expect(requestsOf(world, 'Short')).toHaveLength(1)
    expect(requestsOf(world, 'Whole')).toHaveLength(1)
  })

  test('raw hands back all that the child said and did', async () => {
    const world = await createWorld({ store, files: { 'a.txt': 'alpha' } })
    parts(world, {
      Start: [{ calls: [spawn('researcher', 'Read it', { returnMode: 'raw' })] }, { text: 'Thanks.' }],
      Read: [{ text: 'I look.', calls: [{ name: 'read_file', input: { path: 'a.txt' } }] }, { text: 'It says alpha.' }],
    })
    const parent = await world.session()
    await world.say(parent.id, 'Start')
    const [{ output }] = (await world.results(parent.id)) as [{ output: string }]
    expect(output).toMatch(
      /\[user\]\nRead it[\s\S]*I look\.\nread_file[\s\S]*alpha[\s\S]*\[assistant\]\nIt says alpha\.$/,
    )
  })

  test('of its tools a child has those it was given, in what is shown and in what is run', async () => {
    const world = await createWorld({ store, files: { 'a.txt': 'alpha' } })
    parts(world, {
      Start: [{ calls: [spawn('coder', 'Read it', { tools: ['read_*'] })] }, { text: 'Thanks.' }],
      Read: [
        { calls: [{ name: 'write_file', input: { path: 'b.txt', content: 'x' } }] },
        { calls: [{ name: 'read_file', input: { path: 'a.txt' } }] },
        { text: 'Read.' },
      ],
    })
    const parent = await world.session()
    await world.say(parent.id, 'Start')
    expect(requestsOf(world, 'Read it')[0]!.tools.toSorted()).toEqual(['read_file', 'todo_read', 'todo_write'])
    const [task] = await tasks(world)
    expect(await world.results(task!.session_id)).toEqual([
      expect.stringContaining('There is no tool "write_file" here'),
      expect.stringContaining('alpha'),
    ])
  })

  test('what a maker may not do, nothing that it makes may do, two generations on', async () => {
    const boss = { capabilities: { deny: ['shell'] }, permissions: { deny: ['read_file(keys.txt)'] } }
    const world = await createWorld({ store, files: { 'a.txt': 'alpha', 'keys.txt': 'hush', ...cast({ boss }) } })
    const tries = [
      { name: 'bash', input: { command: 'touch made' } },
      { name: 'read_file', input: { path: 'keys.txt' } },
      { name: 'read_file', input: { path: 'a.txt' } },
    ]
    parts(world, {
      Start: [{ calls: [spawn('coder', 'First')] }, { text: 'Thanks.' }],
      First: [{ calls: [spawn('coder', 'Second', { tools: ['*'] })] }, { text: 'Thanks.' }],
      Second: [...tries.map((call) => ({ calls: [call] })), { text: 'Tried.' }],
    })
    const parent = await world.session({ agent: 'boss' })
    await world.say(parent.id, 'Start')
    expect(requestsOf(world, 'Second')[0]!.tools).not.toContain('bash')
    const grandchild = (await tasks(world)).find(({ instruction }) => instruction === 'Second')!
    expect(await world.results(grandchild.session_id)).toEqual([
      expect.stringContaining('There is no tool "bash" here'),
      expect.stringContaining('Not permitted'),
      expect.stringContaining('alpha'),
    ])
  })

  test('whom a maker may not reach, its child may not reach either', async () => {
    const world = await createWorld({ store, files: cast({ boss: { agents: { allow: ['helper'] } } }, 'helper') })
    parts(world, {
      Start: [{ calls: [spawn('writer', 'Not me')] }, { calls: [spawn('helper', 'Try it')] }, { text: 'Thanks.' }],
      Try: [
        { calls: [spawn('writer', 'Draft')] },
        { calls: [tell('writer', 'Draft')] },
        { calls: [spawn('helper', 'Deeper')] },
        { text: 'Tried.' },
      ],
    })
    const parent = await world.session({ agent: 'boss' })
    await world.say(parent.id, 'Start')
    expect(await world.results(parent.id)).toMatchObject([
      expect.stringMatching(/You may not spawn writer\. You can reach: helper/),
      { status: 'finished' },
    ])
    const child = (await tasks(world)).find(({ instruction }) => instruction === 'Try it')!
    expect(await world.results(child.session_id)).toMatchObject([
      expect.stringContaining('You may not spawn writer.'),
      expect.stringContaining('You may not reach writer.'),
      { status: 'finished' },
    ])
    expect((await sessions(world)).filter(({ agent }) => agent === 'writer')).toEqual([])
  })

  test('an independent session is denied unless a rule names it', async () => {
    const world = await createWorld({ store, settings: { permissions: { allow: ['agent_spawn'] } } })
    parts(world, { Start: [{ calls: [spawn('writer', 'Go', { topLevel: true })] }, { text: 'Well.' }] })
    const parent = await world.session()
    await world.say(parent.id, 'Start')
    expect(await world.results(parent.id)).toEqual([expect.stringContaining('"agent_spawn(topLevel)"')])
    expect(await sessions(world)).toHaveLength(1)
  })

  test('with the rule it is on its own: no parent, its own folder, nobody is told, it outlives its maker', async () => {
    const world = await createWorld({
      store,
      files: cast({
        clerk: { workspace: { path: 'desk' } },
        mute: { modes: { chat: { enabled: false }, subagent: {} } },
      }),
      settings: { permissions: { allow: ['agent_spawn(topLevel)'] } },
    })
    mkdirSync(join(world.project, 'desk'))
    const status = ({ messages }: SeenRequest) => {
      const taskId = /task_\w+/.exec(messages.at(-1)!.results[0]!.text)![0]
      return { calls: [{ name: 'task_status', input: { taskId } }] }
    }
    parts(world, {
      Start: [{ calls: [spawn('clerk', 'File it', { topLevel: true })] }, status, { text: 'Gone.' }],
      Never: [{ calls: [spawn('mute', 'Speak', { topLevel: true })] }, { text: 'Well.' }],
      File: [{ text: 'Filed.' }],
    })
    const parent = await world.session()
    await world.say(parent.id, 'Start')
    expect(await world.results(parent.id)).toEqual([
      expect.objectContaining({ note: expect.stringContaining('fire and forget') }),
      { note: expect.stringContaining('fire and forget') },
    ])
    await world.ok('POST', `/api/sessions/${parent.id}/close`)
    await atRest(world)
    const made = (await sessions(world)).find(({ agent }) => agent === 'clerk')!
    expect(made).toMatchObject({ mode: 'chat', status: 'idle', workspace: realpathSync(join(world.project, 'desk')) })
    expect(made.parentSessionId).toBeUndefined()
    expect(await notices(world, parent.id)).toEqual([])
    expect((await world.look(parent.id)).status).toBe('closed')
    expect(await world.say(made.id, 'Still there?')).toMatchObject({ end: 'done' })
    const other = await world.session()
    await world.say(other.id, 'Never')
    expect(await world.results(other.id)).toEqual([expect.stringContaining('"mute" does not work in mode "chat"')])
  })

  test("a child works in its parent's folder or in one inside it, and in none that is protected", async () => {
    const world = await createWorld({ store })
    mkdirSync(join(world.project, 'part'))
    symlinkSync(world.home, join(world.project, 'away'))
    for (const folder of ['.git', '.claude/skills']) mkdirSync(join(world.project, folder), { recursive: true })
    symlinkSync('.git', join(world.project, 'innocent'))
    const folders = ['..', 'away', '.git', '.claude/skills', 'innocent', 'missing', 'part']
    parts(world, {
      Start: [...folders.map((workspace) => ({ calls: [spawn('writer', 'Work', { workspace })] })), { text: 'Done.' }],
    })
    const parent = await world.session()
    await world.say(parent.id, 'Start')
    expect(await world.results(parent.id)).toMatchObject([
      expect.stringContaining('outside your own folder'),
      expect.stringContaining('lies in <home>/**, where no agent works'),
      expect.stringContaining('lies in .git/**'),
      expect.stringContaining('lies in .claude/**'),
      expect.stringContaining('lies in .git/**'),
      expect.stringContaining('"missing" does not exist'),
      { status: 'finished' },
    ])
    const [task, ...more] = await tasks(world)
    expect(more).toEqual([])
    expect((await world.look(task!.session_id)).workspace).toBe(join(world.project, 'part'))
  })
})
