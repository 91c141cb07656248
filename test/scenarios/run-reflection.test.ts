import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { cast } from '../kit/cast.ts'
import { createClock } from '../kit/clock.ts'
import { storesInTurn } from '../kit/database.ts'
import { atRest, texts } from '../kit/records.ts'
import { boardOf, finishRun, runBecomes, startRun, takeOn, untilTold, workNode } from '../kit/runs.ts'
import { parts, publish } from '../kit/script.ts'
import { REFLECTION } from '../kit/vendor/reflections.ts'
import type { Reply, SeenRequest } from '../kit/vendor/reply.ts'
import { createWorld } from '../kit/world.ts'

const noted = { text: 'Noted.' }

const put = (path: string, content: string) => ({ name: 'write_file', input: { path, content } })

/** Publishes each node in one step, and notes after each how many it has done. */
function works({ messages }: SeenRequest): Reply {
  const newest = messages.at(-1)!
  if (newest.role === 'tool') return noted
  if (!newest.text.includes(REFLECTION)) return { calls: [publish('Made.')] }
  const done = messages.filter(({ text }) => text.includes(REFLECTION)).length
  return { calls: [put('workers/Ann/memory.md', `Nodes that I did: ${done}.`)] }
}

describe.each(storesInTurn(import.meta.filename))('a worker that has published a node, on %s,', (store) => {
  test('is asked once what it learned, and its next node begins after that, with what it noted', async () => {
    // What begins while the clock stands was not postponed.
    const world = await createWorld({ store, clock: createClock() })
    world.vendor.showReflections()
    parts(world, {
      Goal: [
        { calls: [takeOn('Ann'), ...['One', 'Two'].map((name) => workNode(`Piece ${name}`, { worker: 'Ann' }))] },
        noted,
        untilTold('Piece Two', 'Both.'),
      ],
      Piece: [works],
    })
    const run = await startRun(world, 'Goal')
    await runBecomes(world, run, 'finished')
    await atRest(world)
    const [ann] = (await boardOf(world, run)).workers
    const told = texts(await world.messages(ann!.sessionId!), 'user')
    const begins = told.map((text) => (text.includes(REFLECTION) ? 'asked' : /Piece \w+/.exec(text)?.[0]))
    expect(begins.slice(0, 3)).toEqual(['Piece One', 'asked', 'Piece Two'])
    expect(told[0]).not.toContain('What you noted')
    expect(told[2]).toContain('Nodes that I did: 1.')
    const own = join(world.project, '.troupe/runs', run.id, 'workers/Ann')
    expect(readFileSync(join(own, 'memory.md'), 'utf8')).toMatch(/^Nodes that I did: \d\.$/)
    expect(JSON.parse(readFileSync(join(own, 'history.json'), 'utf8'))).toHaveLength(2)
  })
})

test('nobody is asked who answers without tools, could write nothing down, or whose run is over', async () => {
  const deny = { capabilities: { deny: ['files.write', 'memory.write'] } }
  const world = await createWorld({ files: cast({ reader: deny }) })
  world.vendor.showReflections()
  parts(world, {
    Goal: [
      { calls: [takeOn('Ann'), takeOn('Rea', { agent: 'reader' })] },
      { calls: [workNode('Say', { worker: 'Ann', single: true }), workNode('Read', { worker: 'Rea' })] },
      noted,
      ({ messages }) =>
        ['Say', 'Read'].every((title) => messages.some(({ text }) => text.includes(`"${title}" (`)))
          ? { calls: [finishRun('Done.')] }
          : noted,
    ],
  })
  const run = await startRun(world, 'Goal')
  await runBecomes(world, run, 'finished')
  await atRest(world)
  const { workers } = await boardOf(world, run)
  for (const { sessionId } of workers) expect(texts(await world.messages(sessionId!), 'user')).toHaveLength(1)
})
