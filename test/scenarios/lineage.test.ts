import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { storesInTurn } from '../kit/database.ts'
import { bin } from '../kit/desk.ts'
import { sessionOf, taskOf } from '../kit/records.ts'
import { askPerson, parts, spawn } from '../kit/script.ts'
import { createWorld, type World } from '../kit/world.ts'

/** An assistant whose researcher's writer asks the person. */
async function grandchildAsks(world: World) {
  parts(world, {
    Start: [{ calls: [spawn('researcher', 'Find out')] }, { text: 'Done.' }],
    'Find out': [{ calls: [spawn('writer', 'Write it\nin verse')] }, { text: 'Found.' }],
    'Write it': [{ calls: [askPerson] }, { text: 'Written.' }],
  })
  const top = await world.session()
  await world.send(top.id, 'Start')
  const writer = await sessionOf(world, 'writer', 'waiting')
  const researcher = await sessionOf(world, 'researcher', 'waiting')
  return { top, researcher, writer }
}

describe.each(storesInTurn(import.meta.filename))('what waits for the person on %s', (store) => {
  test('says on whose behalf it is asked, up to the top, and in which task', async () => {
    const world = await createWorld({ store })
    const { top, researcher, writer } = await grandchildAsks(world)
    const [item] = await world.inbox()
    const task = await taskOf(world, 'Write it\nin verse', 'waiting')
    const step = ({ id, agent, handle }: typeof top) => ({
      kind: 'session',
      id,
      label: `${agent} ${handle}`,
      agent,
      handle,
    })
    expect(item!.lineage).toEqual([
      step(top),
      step(researcher),
      step(writer),
      { kind: 'task', id: task.id, label: 'Write it' },
    ])
    expect(item!.from).toMatchObject({ agent: 'writer', handle: writer.handle, sessionId: writer.id })
    const answered = await world.ok('POST', `/api/inbox/${item!.id}/answer`, { answer: 'Yes' })
    expect(answered.lineage).toEqual(item!.lineage)
  })

  test('names the session alone where a person talks to it', async () => {
    const world = await createWorld({ store })
    parts(world, { Start: [{ calls: [askPerson] }, { text: 'Done.' }] })
    const { id, handle } = await world.session()
    await world.say(id, 'Start')
    const [item] = await world.inbox()
    expect(item!.lineage).toEqual([{ kind: 'session', id, label: `assistant ${handle}`, agent: 'assistant', handle }])
  })
})

test('"troupe inbox" shows who asks behind those it asks for, and the task of one item', async () => {
  const world = await createWorld()
  const { top, researcher, writer } = await grandchildAsks(world)
  const run = async (...words: string[]): Promise<string> => {
    const env = { PATH: process.env.PATH, TROUPE_HOME: world.home, NO_COLOR: '1' }
    const options = { cwd: world.project, env }
    return (await promisify(execFile)(process.execPath, [bin, ...words], options)).stdout
  }
  const path = [top, researcher, writer].map(({ agent, handle }) => `${agent} ${handle}`).join(' › ')
  expect(await run('inbox')).toContain(path)
  const [item] = await world.inbox()
  const task = item!.lineage.at(-1)!
  expect(await run('inbox', 'show', item!.id)).toContain(`for ${path}, ${task.id}: Write it`)
})
