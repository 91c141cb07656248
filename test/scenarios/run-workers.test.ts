import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { AgentFile } from '../../src/contract/agents.ts'
import type { Runtime } from '../../src/core/base/runtime.ts'
import { cast } from '../kit/cast.ts'
import { storesInTurn } from '../kit/database.ts'
import { memoryText, note, trust } from '../kit/memory.ts'
import { boardOf, finishRun, resultsIn, runBecomes, startRun, takeOn, untilTold, workNode } from '../kit/runs.ts'
import { parts } from '../kit/script.ts'
import { createWorld } from '../kit/world.ts'

const noted = { text: 'Noted.' }
const robot: AgentFile = { runtime: { kind: 'cli', preset: 'custom' } }
const tokens = { input: 1, output: 1, cached: 0, reasoning: 0 }
const program: Runtime = {
  step: async () => ({ parts: [{ type: 'text', text: 'Built.' }], tokens, finish: 'stop' }),
}

describe.each(storesInTurn(import.meta.filename))('a coordinator, on %s,', (store) => {
  test('chooses what kind of worker it takes on and with which tools; what cannot be is refused with the way out', async () => {
    const guest: AgentFile = { capabilities: { deny: ['shell'] } }
    const world = await createWorld({ store, files: cast('ann', { robot, guest }), runtimes: { cli: program } })
    const answers: string[] = []
    parts(world, {
      Goal: [
        {
          calls: [
            takeOn('Rea', { kind: 'harnessed', agent: 'ann', tools: ['read_*'] }),
            takeOn('Rob', { cli: 'custom' }),
            takeOn('One', { kind: 'autonomous' }),
            takeOn('Two', { kind: 'harnessed', agent: 'robot' }),
            takeOn('Three', { cli: 'claude' }),
            takeOn('Four', { agent: 'ann', cli: 'custom' }),
            takeOn('Five', { tools: ['wrte_file'] }),
          ],
        },
        (request) => {
          answers.push(...resultsIn(request))
          return { calls: [workNode('Read', { worker: 'Rea' }), workNode('Build', { worker: 'Rob' })] }
        },
        noted,
        ({ messages }) =>
          ['Read', 'Build'].every((title) => messages.some(({ text }) => text.includes(`"${title}" (`)))
            ? { calls: [finishRun('Done.')] }
            : noted,
      ],
      Guest: [{ calls: [takeOn('Six', { tools: ['bash'] })] }, { calls: [finishRun('No.')] }, noted],
    })
    const run = await startRun(world, 'Goal')
    await runBecomes(world, run, 'finished')
    expect(answers).toEqual([
      expect.stringContaining('"worker":"Rea"'),
      expect.stringContaining('"agent":"robot","kind":"autonomous"'),
      expect.stringMatching(/kind: assistant is harnessed, run by a model.*these are run by programs: robot/),
      expect.stringMatching(/kind: robot is autonomous, run by a program/),
      expect.stringMatching(/cli: no agent here runs "claude".*robot/),
      expect.stringContaining('cli: ann does not run "custom"'),
      expect.stringMatching(/tools: there is no tool "wrte_file" for assistant.*write_file/),
    ])
    const { workers, nodes } = await boardOf(world, run)
    expect(workers.map(({ name, kind, agent }) => [name, kind, agent]).toSorted()).toEqual([
      ['Rea', 'harnessed', 'ann'],
      ['Rob', 'autonomous', 'robot'],
    ])
    expect(nodes).toMatchObject([{ status: 'finished' }, { status: 'finished', summary: 'Built.' }])
    const { tools } = world.vendor.requests.find(({ model }) => model === 'ann')!
    expect(tools).toContain('read_file')
    expect(tools).toContain('publish')
    expect(tools).not.toContain('write_file')

    const other = await startRun(world, 'Guest', { agent: 'guest' })
    await runBecomes(world, other, 'finished')
    expect(JSON.stringify(await world.results(other.sessionId))).toContain('tools: you have no bash to hand on')
  })

  test('works with the model of its run, and workers with their own; who is to have a folder of its own is refused', async () => {
    const files = cast('ann', { tree: { workspace: 'worktree' } })
    const world = await createWorld({ store, files })
    parts(world, {
      Goal: [
        {
          calls: [
            takeOn('Ann', { agent: 'ann' }),
            takeOn('Own', { model: 'lab/own' }),
            takeOn('Tree', { agent: 'tree' }),
          ],
        },
        { calls: [workNode('One', { worker: 'Ann' }), workNode('Two', { worker: 'Own' }), workNode('Three')] },
        noted,
        ({ messages }) =>
          ['One', 'Two', 'Three'].every((title) => messages.some(({ text }) => text.includes(`"${title}" (`)))
            ? { calls: [finishRun('Done.')] }
            : noted,
      ],
    })
    const run = await startRun(world, 'Goal', { model: 'lab/big' })
    expect(await runBecomes(world, run, 'finished')).toMatchObject({ model: 'lab/big' })
    const modelOf = (word: string) => [
      ...new Set(
        world.vendor.requests.filter(({ messages }) => messages[0]!.text.includes(word)).map(({ model }) => model),
      ),
    ]
    expect(['Goal', 'One', 'Two', 'Three'].map(modelOf)).toEqual([['big'], ['ann'], ['own'], ['test-model']])
    expect(JSON.stringify(await world.results(run.sessionId))).toMatch(
      /agent: tree has .{0,4}workspace.{0,6}worktree.*Name another agent, or have the human take/,
    )
  })

  test('has, like all its workers, no more tools than its run was given, but those of a run', async () => {
    const world = await createWorld({ store })
    parts(world, { Goal: [{ calls: [workNode('Piece')] }, noted, untilTold('Piece', 'Done.')] })
    const run = await startRun(world, 'Goal', { tools: ['read_*'] })
    await runBecomes(world, run, 'finished')
    const toolsOf = (word: string) =>
      world.vendor.requests.find(({ messages }) => messages[0]!.text.includes(word))!.tools
    expect(toolsOf('Goal')).toEqual(expect.arrayContaining(['finish', 'create_work_node', 'spawn_worker', 'read_file']))
    expect(toolsOf('Piece')).toEqual(expect.arrayContaining(['publish', 'read_file']))
    for (const word of ['Goal', 'Piece'])
      expect(toolsOf(word).filter((name) => /^(bash|write_file|agent_|grep|glob|web_)/.test(name))).toEqual([])
    const there = { session: run.sessionId, tools: ['read_*'] }
    expect(await world.request('POST', '/api/runs', { goal: 'More', ...there })).toMatchObject({
      status: 400,
      body: { error: { hint: expect.stringContaining('"tools"') } },
    })
  })

  test('decides whose memory lasts: what a worker notes stays in the run, unless it may write to memory', async () => {
    const world = await createWorld({ store })
    await trust(world)
    const answers: string[] = []
    parts(world, {
      Goal: [
        {
          calls: [
            ...[takeOn('Ann'), takeOn('Bea', { mayWriteMemory: true })],
            ...[workNode('Plain', { worker: 'Ann' }), workNode('Lasting', { worker: 'Bea' })],
          ],
        },
        noted,
        ({ messages }) =>
          ['Plain', 'Lasting'].every((title) => messages.some(({ text }) => text.includes(`"${title}" (`)))
            ? { calls: [finishRun('Done.')] }
            : noted,
      ],
      Plain: [
        { calls: [note('The door sticks.'), note('For all.', { scope: 'project' })] },
        { calls: [{ name: 'memory_read', input: {} }] },
        (request) => {
          answers.push(...resultsIn(request))
          return noted
        },
      ],
      Lasting: [{ calls: [note('The key is below the stone.')] }, noted],
    })
    const run = await startRun(world, 'Goal')
    await runBecomes(world, run, 'finished')
    expect(answers).toEqual([
      expect.stringContaining('worker/memory.md has'),
      expect.stringMatching(/Not permitted: .*memory_write\(project:\*\)/),
      expect.stringContaining('The door sticks.'),
    ])
    const own = join(world.project, '.troupe/runs', run.id, 'workers')
    expect(readFileSync(join(own, 'Ann', 'memory.md'), 'utf8')).toContain('The door sticks.')
    expect(existsSync(join(own, 'Bea', 'memory.md'))).toBe(false)
    expect(memoryText(world, 'agents/assistant/MEMORY.md')).toContain('below the stone')
    expect(memoryText(world, 'agents/assistant/MEMORY.md')).not.toContain('The door sticks')
  })
})
