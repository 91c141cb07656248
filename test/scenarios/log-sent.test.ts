import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { textOf } from '../../src/contract/messages.ts'
import { files, read, withCalls } from '../kit/logs.ts'
import { createWorld } from '../kit/world.ts'

const protocols = ['openai-compatible', 'anthropic'] as const

describe.each(protocols)('a changed log, sent to a vendor that speaks %s', (protocol) => {
  test('is accepted whichever message was deleted', async () => {
    for (const index of [0, 1, 2, 3, 4]) {
      const world = await createWorld({ protocol, files })
      const { session, log } = await withCalls(world)
      await world.ok('DELETE', `/api/sessions/${session.id}/messages/${log[index]?.id}`)
      expect(await world.say(session.id, 'Go on')).toMatchObject({ end: 'done' })
    }
  })

  test('is accepted after an answer with reasoning and calls was edited', async () => {
    const world = await createWorld({ protocol, files })
    world.vendor.reply(
      { reasoning: 'I should look.', text: 'Let me see.', calls: [read('a.txt')] },
      { reasoning: 'Now I know.', text: 'It is alpha.' },
    )
    const session = await world.session()
    await world.say(session.id, 'Read')
    for (const message of await world.messages(session.id)) {
      if (message.role !== 'assistant') continue
      await world.ok('PATCH', `/api/sessions/${session.id}/messages/${message.id}`, { text: 'Edited.' })
    }
    expect(await world.say(session.id, 'Go on')).toMatchObject({ end: 'done' })
    expect(
      (await world.messages(session.id)).filter(({ editedAt }) => editedAt).map(({ parts }) => textOf(parts)),
    ).toEqual(['Edited.', 'Edited.'])
  })
})

test('the log is exported as Markdown and as JSON lines', async () => {
  const world = await createWorld({ files: { 'a.txt': 'a ``` fence' } })
  world.vendor.reply({ calls: [read('a.txt')] }, { text: 'Read **it**.' })
  const session = await world.session()
  await world.say(session.id, 'Read it')
  const md = await world.request<string>('GET', `/api/sessions/${session.id}/export?format=md`)
  expect(md.headers.get('content-type')).toContain('text/markdown')
  expect(md.body).toContain('# Read it')
  expect(md.body).toContain('````\n1\ta ``` fence\n````')
  expect(md.body).toContain('Read **it**.')
  const jsonl = await world.request<string>('GET', `/api/sessions/${session.id}/export?format=jsonl`)
  const lines = jsonl.body.trim().split('\n')
  expect(lines.map((line) => JSON.parse(line))).toEqual(await world.messages(session.id))
})

test('the Markdown export tells a failure and a switch of models where they happened', async () => {
  const world = await createWorld()
  const session = await world.session()
  world.vendor.reply({ error: { kind: 'auth' } })
  await world.say(session.id, 'First try')
  world.vendor.reply({ text: 'It works.' })
  await world.say(session.id, 'Second try')
  const { body } = await world.request<string>('GET', `/api/sessions/${session.id}/export?format=md`)
  const places = ['First try', '> error: ', 'Second try', 'It works.'].map((text) => body.indexOf(text))
  expect(places).toEqual(places.toSorted((a, b) => a - b))
  expect(places[0]).toBeGreaterThan(-1)
  await world.ok('POST', `/api/sessions/${session.id}/clear`)
  const cleared = await world.request<string>('GET', `/api/sessions/${session.id}/export?format=md`)
  expect(cleared.body).not.toContain('error: ')
})

test('the system prompt stays the same until the definition or the model changes', async () => {
  const world = await createWorld()
  const folder = join(world.project, '.troupe', 'agents', 'poet')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'agent.json'), '{"description": "Writes poems."}')
  writeFileSync(join(folder, 'AGENT.md'), 'You write short poems.')
  const session = await world.session({ agent: 'poet' })
  const prompt = () =>
    world.ok<{ text: string; tokens: number; frozen: boolean; sections: { tag: string; tokens: number }[] }>(
      'GET',
      `/api/sessions/${session.id}/prompt`,
    )
  expect((await prompt()).frozen).toBe(false)
  await world.say(session.id, 'One')
  const first = await prompt()
  expect(first).toMatchObject({ frozen: true, text: expect.stringContaining('short poems') })
  expect(first.sections.map(({ tag }) => tag)).toEqual(
    expect.arrayContaining(['rules', 'agent', 'environment', 'mode']),
  )
  expect(first.tokens).toBe(first.sections.reduce((sum, { tokens }) => sum + tokens, 0))
  await world.say(session.id, 'Two')
  expect(world.vendor.requests.map(({ system }) => system)).toEqual([first.text, first.text])
  writeFileSync(join(folder, 'AGENT.md'), 'You write long poems.')
  await world.say(session.id, 'Three')
  expect((await prompt()).text).toContain('long poems')
  await world.ok('PATCH', `/api/sessions/${session.id}`, { model: 'lab/other-model' })
  expect((await prompt()).frozen).toBe(false)
  await world.say(session.id, 'Four')
  expect(world.vendor.requests.at(-1)).toMatchObject({
    model: 'other-model',
    system: expect.stringContaining('long poems'),
  })
})
