import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { AgentFile } from '../../src/contract/agents.ts'
import { textOf } from '../../src/contract/messages.ts'
import type { Runtime } from '../../src/core/base/runtime.ts'
import { sha256 } from '../../src/lib/files/files.ts'
import { cast } from '../kit/cast.ts'
import { storesInTurn } from '../kit/database.ts'
import { boardOf, runBecomes, startRun, takeOn, untilTold, workNode } from '../kit/runs.ts'
import { parts } from '../kit/script.ts'
import { createWorld, type World, type WorldOptions } from '../kit/world.ts'

const noted = { text: 'Noted.' }

/** A command that stands for a command-line agent: it works in the folder of its node, and what it prints is what it says. */
const command = (world: () => World, script: string): Runtime => ({
  async step({ history }) {
    const spec = textOf(history.findLast(({ role }) => role === 'user')!.parts)
    const runs = join(world().project, '.troupe', 'runs')
    const node = /node_[0-9a-f]+/.exec(spec)![0]
    const cwd = join(runs, readdirSync(runs).find((name) => name.startsWith('run_'))!, 'nodes', node, 'scratch')
    const said = execFileSync('sh', ['-c', script], { cwd, encoding: 'utf8' })
    const tokens = { input: 1, output: 1, cached: 0, reasoning: 0 }
    return { parts: [{ type: 'text', text: said.trim() }], tokens, finish: 'stop' }
  },
})

async function createCommandWorld(script: string, options: WorldOptions): Promise<World> {
  const robot: AgentFile = { runtime: { kind: 'cli', preset: 'custom' }, tools: { allow: [] } }
  const world: World = await createWorld({
    files: cast({ robot }),
    runtimes: { cli: command(() => world, script) },
    ...options,
  })
  return world
}

describe.each(storesInTurn(import.meta.filename))('a worker that is no model, on %s,', (store) => {
  test('4: is given a node by another worker, beside one of a single answer and one that makes nodes of its own, two levels deep', async () => {
    const world = await createCommandWorld('echo built > wall.txt; echo The wall stands.', { store })
    parts(world, {
      Goal: [
        { calls: [...['Ann', 'Ben', 'Cyd', 'Dan'].map((name) => takeOn(name)), takeOn('Rob', { agent: 'robot' })] },
        { calls: [workNode('House', { worker: 'Ann' })] },
        noted,
        untilTold('House', 'A house.'),
      ],
      House: [
        {
          calls: [
            workNode('Wall', { worker: 'Rob' }),
            workNode('Paint', { worker: 'Dan', single: true }),
            workNode('Roof', { worker: 'Ben' }),
          ],
        },
        { text: 'I wait.' },
        (request) => ({
          text: `${request.lastUserText
            .match(/The (wall|roof|paint) \w+/g)
            ?.toSorted()
            .join(', ')}.`,
        }),
      ],
      Roof: [{ calls: [workNode('Tiles', { worker: 'Cyd' })] }, { text: 'I wait.' }, { text: 'The roof holds.' }],
      Tiles: [{ text: 'Baked.' }],
      Paint: [{ text: 'The paint dries.' }],
    })
    const run = await startRun(world, 'Goal')
    await runBecomes(world, run, 'finished')
    const { nodes } = await boardOf(world, run)
    const titleOf = (id: string | undefined) => nodes.find((node) => node.id === id)?.title
    expect(
      nodes.map(({ title, status, partial, parentNodeId }) => [title, status, partial, titleOf(parentNodeId)]),
    ).toEqual([
      ['House', 'finished', undefined, undefined],
      ['Wall', 'finished', undefined, 'House'],
      ['Paint', 'finished', undefined, 'House'],
      ['Roof', 'finished', undefined, 'House'],
      ['Tiles', 'finished', undefined, 'Roof'],
    ])
    expect(nodes[0]!.summary).toBe('The paint dries, The roof holds, The wall stands.')
    expect(nodes[2]!.published).toMatchObject([{ path: 'result.md', sha256: sha256('The paint dries.\n') }])
    // One answer without tools.
    expect(world.vendor.requests.filter(({ lastUserText }) => lastUserText.includes('\nPaint'))).toMatchObject([
      { tools: [] },
    ])
  })

  test('8: a command produces files and a result, and is asked no model', async () => {
    const script = 'mkdir out; printf "hello" > out/greeting.txt; echo I wrote a greeting.'
    const world = await createCommandWorld(script, { store })
    parts(world, {
      Goal: [
        { calls: [takeOn('Rob', { agent: 'robot' }), workNode('Greet', { worker: 'Rob' })] },
        noted,
        untilTold('I wrote a greeting.', 'Greeted.'),
      ],
    })
    const run = await startRun(world, 'Goal')
    expect(await runBecomes(world, run, 'finished')).toMatchObject({ summary: 'Greeted.' })
    const [node] = (await boardOf(world, run)).nodes
    expect(node).toMatchObject({ status: 'finished', worker: 'Rob', summary: 'I wrote a greeting.' })
    expect(node!.partial).toBeUndefined()
    expect(node!.published).toEqual([{ path: 'out/greeting.txt', size: 5, sha256: sha256('hello') }])
    expect(new Set(world.vendor.requests.map(({ model }) => model))).toEqual(new Set(['test-model']))
  })
})
