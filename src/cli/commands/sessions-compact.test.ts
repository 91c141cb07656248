import { expect, test } from 'vitest'
import { cast } from '../../../test/kit/cast.ts'
import { troupe, troupeEnds, troupeHears } from '../../../test/kit/program.ts'
import { atRest } from '../../../test/kit/records.ts'
import { isSummary, readIn } from '../../../test/kit/small-window.ts'
import { createWorld } from '../../../test/kit/world.ts'

const STORY = 'Once upon a time there was a fox. '.repeat(60)

test('a history is compacted from the command line and from the chat, and both say what came of it', async () => {
  const world = await createWorld({
    files: cast({ ann: { tools: { allow: ['read_file'] } } }),
    settings: { smallModel: 'lab/small' },
  })
  world.vendor.script(() => ({ text: STORY }), { model: 'ann' })
  world.vendor.script(() => ({ text: 'State: a fox.' }), { model: 'small' })
  const { id, handle } = await world.session({ agent: 'ann' })
  for (const word of ['fox', 'hen', 'owl', 'cat']) await world.say(id, word)
  expect(await troupe(world, 'sessions', 'context', handle)).toMatch(
    /assistant text +\d+ +\d+%[\s\S]*taken to be 32000[\s\S]*from 25600 on the history is compacted first/,
  )

  expect(await troupe(world, 'sessions', 'compact', handle, 'the', 'tail')).toContain('at its next safe point')
  await atRest(world)
  expect(readIn(world.vendor.requests.find(isSummary)!)).toContain('kept above all: the tail')
  expect(await troupe(world, 'sessions', 'show', handle)).toMatch(/Compacted: \d+ older messages summed up/)
  expect(await troupe(world, 'sessions', 'context', handle)).toMatch(
    /Compacted once; the messages up to \d+ are read as a summary/,
  )

  for (const word of ['dog', 'cow']) await world.say(id, word)
  const said = await troupeHears(world, '/compact the ears\n', 'chat', '--session', handle)
  expect(said).toContain('all that was said stays in the log')
  await atRest(world)
  expect(readIn(world.vendor.requests.findLast(isSummary)!)).toContain('kept above all: the ears')
  expect(await world.look(id)).toMatchObject({ compactionCount: 2 })

  await world.ok('POST', `/api/sessions/${id}/close`)
  expect(await troupeEnds(world, 'sessions', 'compact', handle)).toMatchObject({
    code: 1,
    err: expect.stringContaining('Reopen it first'),
  })
})
