import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { cast } from '../kit/cast.ts'
import { storesInTurn } from '../kit/database.ts'
import { putFile } from '../kit/files.ts'
import { ask, askPerson, parts, spawn, tasksIn, tell, waitFor } from '../kit/script.ts'
import { createWorld, type World } from '../kit/world.ts'

const touch = (name: string) => ({ name: 'bash', input: { command: `echo ${name} >> ${name}.txt` } })

/** What the session and all that it reached said and did, as a recording. */
async function record(world: World, session: string, name = 'talk'): Promise<string> {
  const { text, status } = await world.call('GET', `/api/sessions/${session}/recording`)
  expect(status).toBe(200)
  putFile(join(world.project, '.troupe', 'recordings', `${name}.jsonl`), text)
  return text
}

const replay = (world: World, agent: string, name = 'talk') => world.session({ agent, model: `replay/${name}` })

describe.each(storesInTurn(import.meta.filename))('a recording on %s', (store) => {
  test('plays back a whole tree of agents without a model and without the effect of a tool', async () => {
    const world = await createWorld({
      store,
      settings: { permissions: { allow: ['bash'] } },
      files: cast('ann', 'ben', 'cat'),
    })
    parts(world, {
      'Go on': [
        { calls: [spawn('ben', 'Dig here'), spawn('ben', 'Dig there')] },
        { calls: [ask('cat', 'Is it deep?'), touch('ann')] },
        { text: 'All dug.' },
      ],
      'Dig here': [{ calls: [touch('here')] }, { text: 'Here it is.' }],
      'Dig there': [{ calls: [touch('there')] }, { text: 'There it is.' }],
      'Is it deep?': [{ text: 'Deep enough.' }],
    })
    const ann = await world.session({ agent: 'ann' })
    expect((await world.say(ann.id, 'Go on')).reply).toBe('All dug.')
    const text = await record(world, ann.id)
    expect(text).not.toContain('providerMetadata')

    const asked = world.vendor.requests.length
    const again = await replay(world, 'ann')
    expect(await world.say(again.id, 'Go on')).toMatchObject({ end: 'done', reply: 'All dug.' })
    expect(world.vendor.requests.length).toBe(asked)
    for (const name of ['ann', 'here', 'there'])
      expect(readFileSync(join(world.project, `${name}.txt`), 'utf8')).toBe(`${name}\n`)
    const { items } = await world.ok<{ items: { agent: string; model?: string }[] }>('GET', '/api/sessions')
    expect(items.map(({ agent, model }) => `${agent} ${model ?? ''}`).toSorted()).toEqual([
      'ann ',
      'ann replay/talk',
      'ben ',
      'ben ',
      expect.stringMatching(/^ben replay\/talk#[0-9a-f]{32}\/2\.[01]$/),
      expect.stringMatching(/^ben replay\/talk#[0-9a-f]{32}\/2\.[01]$/),
      'cat ',
      expect.stringMatching(/^cat replay\/talk#[0-9a-f]{32}\/\d+\.0$/),
    ])
    // Another replay meets none of the sessions of the first.
    expect(await world.say((await replay(world, 'ann')).id, 'Go on')).toMatchObject({ end: 'done', reply: 'All dug.' })
    // The replay is a conversation like any other, and its recording plays back as well.
    await record(world, again.id, 'again')
    const third = await replay(world, 'ann', 'again')
    expect(await world.say(third.id, 'Go on')).toMatchObject({ end: 'done', reply: 'All dug.' })
    expect(world.vendor.requests.length).toBe(asked)
  })

  test('follows ids that are new each time: a task that is waited for, a session that is written to', async () => {
    const world = await createWorld({ store, files: cast('ann', 'ben') })
    parts(world, {
      Begin: [
        { calls: [spawn('ben', 'Dig', { wait: false })] },
        (request) => ({ calls: [waitFor(tasksIn(request))] }),
        { text: 'It is dug.' },
      ],
      Dig: [{ text: 'Dug.' }],
    })
    const ann = await world.session({ agent: 'ann' })
    expect((await world.say(ann.id, 'Begin')).reply).toBe('It is dug.')
    await record(world, ann.id)
    const again = await replay(world, 'ann')
    expect(await world.say(again.id, 'Begin')).toMatchObject({ end: 'done', reply: 'It is dug.' })
  })

  test('says at which message the conversation differs, what was expected and what came', async () => {
    const world = await createWorld({ store, files: cast('ann', 'ben') })
    world.vendor.queue({ model: 'ann' }, { text: 'One.' }, { calls: [ask('ben', 'Why?')] }, { text: 'Two.' })
    world.vendor.queue({ model: 'ben' }, { text: 'Because.' })
    const ann = await world.session({ agent: 'ann' })
    await world.say(ann.id, 'Say one')
    await world.say(ann.id, 'Say two')
    const text = await record(world, ann.id)

    const other = await replay(world, 'ann')
    expect(await world.say(other.id, 'Say three')).toMatchObject({
      end: 'error',
      reason:
        'The conversation of ann differs from the recording at message 1, which a person wrote. Expected was "Say one"; what came is "Say three".',
    })
    // The message as it should be does not mend it: the one before is still there.
    expect(await world.say(other.id, 'Say one')).toMatchObject({ end: 'error' })

    putFile(
      join(world.project, 'changed.jsonl'),
      text.replaceAll('Because.', 'Because of that.').replace('"output":{', '"output":{"x":1,'),
    )
    const changed = await replay(world, 'ann', 'changed.jsonl')
    await world.say(changed.id, 'Say one')
    expect(await world.say(changed.id, 'Say two')).toMatchObject({
      end: 'error',
      reason: expect.stringMatching(
        /^The conversation of ann differs from the recording at the result of agent_message, which message 4 called\. Expected was/,
      ),
    })

    const longer = await replay(world, 'ann')
    for (const [said, reply] of [
      ['Say one', 'One.'],
      ['Say two', 'Two.'],
    ] as const)
      expect(await world.say(longer.id, said)).toMatchObject({ end: 'done', reply })
    expect(await world.say(longer.id, 'Say more')).toMatchObject({
      end: 'error',
      reason: 'The recording of ann ends after 3 answers, and there is none to "Say more".',
    })
  })

  test('asks nobody and waits for nobody: approvals and questions have the answers of then', async () => {
    const world = await createWorld({ store, files: cast('ann') })
    world.vendor.queue({ model: 'ann' }, { calls: [touch('mark'), askPerson] }, { text: 'Done.' })
    const ann = await world.session({ agent: 'ann' })
    await world.say(ann.id, 'Mark it')
    for (const answer of [{ decision: 'once' }, { answer: 'Yes' }]) {
      const item = await world.eventually(async () => (await world.inbox()).find(({ status }) => status === 'open'))
      await world.ok('POST', `/api/inbox/${item.id}/answer`, answer)
    }
    await world.reaches(ann.id, 'idle')
    await record(world, ann.id)
    rmSync(join(world.project, 'mark.txt'))

    const again = await replay(world, 'ann')
    expect(await world.say(again.id, 'Mark it')).toMatchObject({ end: 'done', reply: 'Done.' })
    expect(existsSync(join(world.project, 'mark.txt'))).toBe(false)
    expect((await world.inbox()).filter(({ status }) => status === 'open')).toEqual([])
    expect(await world.results(again.id)).toEqual(await world.results(ann.id))
  })

  test('mail that nobody waits for may come sooner or later than it was recorded', async () => {
    const world = await createWorld({ store, files: cast('ann', 'ben') })
    parts(world, {
      Begin: [{ calls: [tell('ben', 'Dig when you can')] }, { text: 'Told.' }],
      'Dig when you can': [{ text: 'I will.' }],
    })
    const ann = await world.session({ agent: 'ann' })
    expect((await world.say(ann.id, 'Begin')).reply).toBe('Told.')
    await world.eventually(async () =>
      (await world.ok<{ items: { agent: string; lastSnippet: string }[] }>('GET', '/api/sessions')).items.some(
        ({ agent, lastSnippet }) => agent === 'ben' && lastSnippet.includes('I will'),
      ),
    )
    await record(world, ann.id)
    const again = await replay(world, 'ann')
    expect(await world.say(again.id, 'Begin')).toMatchObject({ end: 'done', reply: 'Told.' })
  })
})

test('what is no recording is not played, and no other model answers instead', async () => {
  const world = await createWorld({ files: cast({ ann: { fallbackModels: ['lab/other'] } }) })
  const gone = await replay(world, 'ann', 'gone')
  expect(await world.say(gone.id, 'Hello')).toMatchObject({
    end: 'error',
    reason: expect.stringMatching(/^There is no recording "gone": .*recordings\/gone\.jsonl and .* are not there\./),
  })
  putFile(join(world.project, 'bad.jsonl'), '{"type":"recording"}\nno line\n{}\n')
  const bad = await replay(world, 'ann', 'bad.jsonl')
  expect(await world.say(bad.id, 'Hello')).toMatchObject({
    end: 'error',
    reason: expect.stringMatching(/bad\.jsonl is no recording: line 1 cannot be read/),
  })
  const nested = JSON.stringify({ type: 'tool-call', callId: '2.0', name: 'read_file', input: 0 })
  putFile(
    join(world.project, 'deep.jsonl'),
    `{"type":"session","session":0,"agent":"ann"}\n{"type":"message","session":0,"seq":1,"role":"assistant","parts":[${nested.replace('0}', `${'['.repeat(3000)}${']'.repeat(3000)}}`)}]}\n`,
  )
  const deep = await replay(world, 'ann', 'deep.jsonl')
  expect(await world.say(deep.id, 'Hello')).toMatchObject({ reason: expect.stringMatching(/line 2 cannot be read/) })
  const unreadable = await replay(world, 'ann', '/proc/self/mem')
  expect(await world.say(unreadable.id, 'Hello')).toMatchObject({
    reason: expect.stringMatching(/^\/proc\/self\/mem cannot be read \(E\w+\)/),
  })
  expect(world.vendor.requests).toEqual([])
})

test('a last line that was cut off is left out, and secrets are in no line', async () => {
  const secret = 'canary-token-58a1e2'
  const world = await createWorld({ env: { MY_TOKEN: secret }, files: cast('ann') })
  world.vendor.queue({ model: 'ann' }, { text: 'One.' }, { text: `Two ${secret}.` })
  const ann = await world.session({ agent: 'ann' })
  await world.say(ann.id, `Say one with ${secret}`)
  await world.say(ann.id, 'Say two')
  const text = await record(world, ann.id)
  expect(text).not.toContain(secret)
  putFile(join(world.project, 'cut.jsonl'), text.trimEnd().slice(0, -20))
  const cut = await replay(world, 'ann', 'cut.jsonl')
  expect(await world.say(cut.id, `Say one with ${secret}`)).toMatchObject({ end: 'done', reply: 'One.' })
  expect(await world.say(cut.id, 'Say two')).toMatchObject({
    end: 'error',
    reason: expect.stringMatching(/ends after 1 answers/),
  })
})
