import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Node } from '../../src/contract/runs.ts'
import { sha256 } from '../../src/lib/files/files.ts'
import { createClock } from '../kit/clock.ts'
import { storesInTurn } from '../kit/database.ts'
import { atRest, heard } from '../kit/records.ts'
import {
  boardBecomes,
  boardOf,
  finishRun,
  nodesIn,
  ownNode,
  resultsIn,
  runBecomes,
  stage,
  startRun,
  takeOn,
  untilTold,
  workNode,
} from '../kit/runs.ts'
import { ask, hasMail, nap, parts, publish, tell } from '../kit/script.ts'
import type { Reply, SeenRequest } from '../kit/vendor/reply.ts'
import { createWorld } from '../kit/world.ts'

const put = (path: string, content: string) => ({ name: 'write_file', input: { path, content } })
const look = (path: string) => ({ name: 'read_file', input: { path } })
const sh = (command: string) => ({ name: 'bash', input: { command } })
const scratch = (request: SeenRequest, file: string): string => `nodes/${ownNode(request)}/scratch/${file}`
const newestResult = (request: SeenRequest): string => resultsIn(request).at(-1) ?? ''
const noted = { text: 'Noted.' }

const published = ({ published: files = [] }: Node) => files.map(({ path, sha256: digest }) => [path, digest])

describe.each(storesInTurn(import.meta.filename))('through the API, on %s,', (store) => {
  test('1: a single agent answers with a file and finishes', async () => {
    const world = await createWorld({ store, settings: { permissions: { allow: ['write_file'] } } })
    parts(world, {
      Goal: [{ calls: [put('answer.md', 'Forty-two.')] }, { calls: [finishRun('It is in answer.md.')] }, noted],
    })
    const run = await startRun(world, 'Goal', { agent: 'assistant' })
    expect(await runBecomes(world, run, 'finished')).toMatchObject({ summary: 'It is in answer.md.', nodes: {} })
    await world.reaches(run.sessionId, 'idle')
    expect(readFileSync(join(world.project, 'answer.md'), 'utf8')).toBe('Forty-two.')
    expect(world.vendor.requests).toHaveLength(3)
  })

  test('2: a worker goes on in several steps with shell and files, past a command that fails', async () => {
    const world = await createWorld({ store, settings: { permissions: { allow: ['bash'] } } })
    const seen: string[] = []
    const failed = (request: SeenRequest): boolean => /No such file/.test(newestResult(request))
    parts(world, {
      Goal: [{ calls: [workNode('Count')] }, noted, untilTold('Count', 'Counted.')],
      Count: [
        (request) => ({ calls: [put(scratch(request, 'words.txt'), 'one\ntwo\nthree\n'), sh('wc -l < word.txt')] }),
        (request) => (failed(request) ? { calls: [sh('ls')] } : { text: 'It never failed.' }),
        (request) => ({ calls: [sh(`wc -l < ${newestResult(request).match(/\w+\.txt/)![0]} > count.txt`)] }),
        (request) => ({ calls: [look(scratch(request, 'count.txt'))] }),
        (request) => {
          seen.push(newestResult(request))
          return { calls: [publish('There are three.')] }
        },
      ],
    })
    const run = await startRun(world, 'Goal')
    expect(await runBecomes(world, run, 'finished')).toMatchObject({ summary: 'Counted.' })
    const [count] = (await boardOf(world, run)).nodes
    expect(seen).toEqual([expect.stringContaining('3')])
    expect(count).toMatchObject({ status: 'finished', summary: 'There are three.' })
    expect(published(count!)).toEqual([
      ['count.txt', sha256('3\n')],
      ['words.txt', sha256('one\ntwo\nthree\n')],
    ])
  })

  test('3: three workers on different models work side by side in a stage, and a synthesis reads all three results', async () => {
    const world = await createWorld({ store })
    const names = ['Ann', 'Ben', 'Cyd']
    // Each is answered only when all three have asked.
    const together = world.eventually(async () =>
      names.every((name) => world.vendor.requests.some(({ model }) => model === name.toLowerCase())),
    )
    const took = names.map((name) => takeOn(name, { model: `lab/${name.toLowerCase()}` }))
    const pieces = names.map((name) => workNode(`Piece of ${name}`, { worker: name }))
    const refsTo = (ids: readonly string[]) =>
      Object.fromEntries(ids.map((id, at) => [names[at]!, `nodes/${id}/published/piece.md`]))
    const begun = Promise.withResolvers<void>()
    parts(world, {
      Goal: [
        { calls: [...took, ...pieces] },
        (request) => ({ calls: [stage('Pieces', nodesIn(request))] }),
        () => {
          begun.resolve()
          return noted
        },
        (request) => ({
          calls: [
            { name: 'reconvene', input: { assessment: 'All three are there.' } },
            workNode('Bring together', { refs: refsTo(nodesIn(request)), worker: 'Ann' }),
          ],
        }),
        noted,
        untilTold('Bring together', 'One text.'),
      ],
      ...Object.fromEntries(
        names.map((name) => [
          `Piece of ${name}`,
          [
            (request: SeenRequest): Reply => ({
              calls: [put(scratch(request, 'piece.md'), `From ${name}.`), publish(`${name} is done.`)],
              delay: Promise.all([together, begun.promise]),
            }),
            { calls: names.map((one) => ({ name: 'read_ref', input: { name: one } })) },
            (request: SeenRequest): Reply => ({
              calls: [
                put(
                  scratch(request, 'all.md'),
                  resultsIn(request)
                    .slice(-3)
                    .join(' ')
                    .match(/From \w+\./g)!
                    .join(' '),
                ),
                publish('All.'),
              ],
            }),
          ],
        ]),
      ),
    })
    const run = await startRun(world, 'Goal')
    expect(await runBecomes(world, run, 'finished')).toMatchObject({ nodes: { finished: 4 }, workers: { retired: 3 } })
    const { nodes, workers, stages, edges } = await boardOf(world, run)
    expect(stages).toMatchObject([{ status: 'completed', assessment: 'All three are there.' }])
    expect(workers.map(({ name, model }) => [name, model])).toEqual(
      names.map((name) => [name, `lab/${name.toLowerCase()}`]),
    )
    expect(published(nodes[3]!)).toEqual([['all.md', sha256('From Ann. From Ben. From Cyd.')]])
    expect(edges.filter(({ kind }) => kind === 'ref')).toEqual(
      nodes.slice(0, 3).map(({ id }) => ({ from: id, to: nodes[3]!.id, kind: 'ref' })),
    )
    expect((await heard(world, { id: run.sessionId })).filter((text) => text.includes('Piece of'))).toHaveLength(1)
  })

  test('5: a question to the person stops the run, which goes on with the answer', async () => {
    const world = await createWorld({ store })
    parts(world, {
      Goal: [{ calls: [workNode('Paint')] }, noted, untilTold('Paint', 'Painted.')],
      Paint: [
        { calls: [{ name: 'ask_human', input: { question: 'Which colour?' } }] },
        (request) => ({ text: `Painted ${/green|red/.exec(newestResult(request))?.[0]}.` }),
      ],
    })
    const run = await startRun(world, 'Goal')
    expect(await runBecomes(world, run, 'waiting')).toMatchObject({ reason: expect.stringContaining('Which colour?') })
    expect((await boardOf(world, run)).nodes).toMatchObject([{ status: 'waiting' }])
    const [question] = await world.inbox()
    await world.ok('POST', `/api/inbox/${question!.id}/answer`, { answer: 'green' })
    await runBecomes(world, run, 'finished')
    expect((await boardOf(world, run)).nodes).toMatchObject([{ status: 'finished', summary: 'Painted green.' }])
  })

  test('9: an infinite run makes three cycles, none of them twice, and stops cleanly', async () => {
    const clock = createClock()
    const world = await createWorld({ store, clock })
    const isCalled = (request: SeenRequest): boolean => hasMail(request) && /Watch|Cycle/.test(request.lastUserText)
    parts(world, {
      Watch: [(request) => (isCalled(request) ? { calls: [workNode(`Day ${nodesIn(request).length + 1}`)] } : noted)],
      Day: [
        (request) => {
          const day = request.lastUserText.match(/Day \d/)![0]
          return { calls: [put(scratch(request, 'day.md'), day), publish(`${day} is written.`)] }
        },
      ],
    })
    const run = await startRun(world, 'Watch', { mode: 'infinite', cycleSeconds: 60 })
    for (const day of [1, 2, 3]) {
      await boardBecomes(world, run, { [`Day ${day}`]: 'finished' })
      await world.eventually(async () => (await boardOf(world, run)).run.cycle === day + 1)
      await atRest(world)
      if (day < 3) {
        clock.at += 61_000
        world.server.core.alarm(0)
      }
    }
    const { nodes } = await boardOf(world, run)
    expect(nodes.map(published)).toEqual([1, 2, 3].map((day) => [['day.md', sha256(`Day ${day}`)]]))
    expect(await world.ok('POST', `/api/runs/${run.id}/stop`)).toMatchObject({
      status: 'stopped',
      nodes: { finished: 3 },
    })
    const before = world.vendor.requests.length
    clock.at += 600_000
    world.server.core.alarm(0)
    await atRest(world)
    expect(world.vendor.requests.length).toBe(before)
    const [worker] = (await boardOf(world, run)).workers
    expect(await world.look(worker!.sessionId!)).toMatchObject({ status: 'closed' })
  })

  test('10: two workers write back and forth, and a third reads both results', async () => {
    const world = await createWorld({ store })
    const began = (name: string) =>
      world.eventually(async () => world.vendor.requests.some(({ lastUserText }) => lastUserText.includes(name)))
    parts(world, {
      Goal: [
        { calls: [takeOn('Ann'), takeOn('Ben'), takeOn('Cyd')] },
        { calls: [workNode('Height', { worker: 'Ann' }), workNode('Width', { worker: 'Ben' })] },
        (request) => ({ calls: [workNode('Area', { dependsOn: nodesIn(request), worker: 'Cyd' })] }),
        noted,
        untilTold('Area', 'Six.'),
      ],
      // First, as what it is told names the others.
      Area: [
        (request) => ({
          calls: [...new Set(request.lastUserText.match(/node_\w+(?= ")/g))].map((id) =>
            look(`nodes/${id}/published/side.md`),
          ),
        }),
        (request) => ({
          calls: [
            publish(
              resultsIn(request)
                .slice(-2)
                .join()
                .match(/Two|Three/g)!
                .join(' times '),
            ),
          ],
        }),
      ],
      Height: [
        { calls: [ask('Ben', 'How wide is it?')], delay: began('Width') },
        (request) => ({ calls: [tell('Ben', `Wide as ${/Three/.exec(newestResult(request))?.[0]}, so two high`)] }),
        (request) => ({ calls: [put(scratch(request, 'side.md'), 'Two'), publish('Two high.')] }),
      ],
      Width: [
        // It waits for the question, answers where it reads it, and waits again.
        { calls: [nap] },
        (request) =>
          request.lastUserText.includes('How wide') ? { calls: [tell('Ann', 'Three wide')] } : { text: 'Unasked.' },
        (request) =>
          request.lastUserText.includes('two high')
            ? { calls: [put(scratch(request, 'side.md'), 'Three'), publish('Three wide.')] }
            : { calls: [nap] },
      ],
    })
    const run = await startRun(world, 'Goal')
    await runBecomes(world, run, 'finished')
    const { nodes } = await boardOf(world, run)
    expect(nodes.map(({ title, status, partial, summary }) => [title, status, partial, summary])).toEqual([
      ['Height', 'finished', undefined, 'Two high.'],
      ['Width', 'finished', undefined, 'Three wide.'],
      ['Area', 'finished', undefined, 'Two times Three'],
    ])
    const { items } = await world.ok<{ items: { content: string; from: { kind: string } }[] }>(
      'GET',
      `/api/runs/${run.id}/messages`,
    )
    const between = items.filter(({ from }) => from.kind === 'agent').map(({ content }) => content)
    expect(between.toReversed()).toEqual(['How wide is it?', 'Three wide', 'Wide as Three, so two high'])
    expect(existsSync(join(world.project, '.troupe', 'runs', run.id, 'nodes', nodes[0]!.id, 'scratch'))).toBe(false)
  })
  test('a worker that answers in words while it works, another one and then the person, still hands over its whole node', async () => {
    const world = await createWorld({ store })
    const asked = (word: string) => world.vendor.requests.filter(({ lastUserText }) => lastUserText.includes(word))
    parts(world, {
      Goal: [
        { calls: [takeOn('Ann'), takeOn('Ben')] },
        { calls: [workNode('Height', { worker: 'Ann' }), workNode('Width', { worker: 'Ben' })] },
        noted,
        untilTold('Width', 'Measured.'),
      ],
      Height: [
        { calls: [ask('Ben', 'How wide is it?')], delay: world.eventually(async () => asked('Width').length > 0) },
        (request) => ({ calls: [publish(`Ben says: ${/Three/.exec(newestResult(request))?.[0]}`)] }),
      ],
      Width: [
        (request) => {
          const { lastUserText, messages } = request
          if (lastUserText.includes('How wide')) return { text: 'Three.', calls: [] }
          if (lastUserText.includes('How far')) return { text: 'Half way.', calls: [] }
          const answered = messages.some(({ role, text }) => role === 'assistant' && text === 'Half way.')
          return { calls: [answered ? publish('All of it.') : nap] }
        },
      ],
    })
    const run = await startRun(world, 'Goal')
    await boardBecomes(world, run, { Height: 'finished', Width: 'waiting' })
    await world.ok('POST', `/api/runs/${run.id}/messages`, { to: 'Ben', content: 'How far are you?' })
    await runBecomes(world, run, 'finished')
    const { nodes } = await boardOf(world, run)
    expect(nodes.map(({ summary, partial }) => [summary, partial])).toEqual([
      ['Ben says: Three', undefined],
      ['All of it.', undefined],
    ])
  })
})
