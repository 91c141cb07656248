import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openDesk } from '../kit/desk.ts'
import { hasTmux, openTerminal, type Terminal } from '../kit/terminal.ts'
import { startVendor, type Vendor } from '../kit/vendor/server.ts'

const desk = openDesk()
let vendor: Vendor
let terminal: Terminal
let opened: Terminal | undefined

beforeAll(async () => {
  vendor = await startVendor()
  const lab = { type: 'openai-compatible', baseURL: vendor.baseURL, apiKey: 'test-key' }
  mkdirSync(desk.home, { recursive: true })
  writeFileSync(join(desk.home, 'settings.json'), JSON.stringify({ providers: { lab } }))
  for (const [name, more] of Object.entries({
    porter: { description: 'Opens doors.' },
    journal: { description: 'Keeps a diary.' },
    mole: { description: 'Digs where nobody looks.', visible: false },
  })) {
    desk.put(`.troupe/agents/${name}/agent.json`, { model: 'lab/test-model', ...more })
    desk.put(`.troupe/agents/${name}/AGENT.md`, `You are ${name}.`)
  }
  await desk.run('up', '--detach')
})
afterEach(async () => {
  await opened?.close()
  opened = undefined
})
afterAll(async () => {
  await desk.close()
  await vendor.close()
})

/** High enough that nothing a test looks for has scrolled away when it looks. */
async function chat(agent = 'assistant'): Promise<Terminal> {
  terminal = openTerminal(desk, ['chat', agent, '--new'], { rows: 80 })
  opened = terminal
  await terminal.shows('Say something to')
  return terminal
}

function say(text: string): void {
  terminal.type(text)
  terminal.press('Enter')
}

/** The handle at the bottom, once this agent has come to rest. */
async function restsWith(agent: string): Promise<string> {
  const at = new RegExp(`${agent} ([0-9a-f]{4,}) · .* · idle`)
  return at.exec(await terminal.shows(at))![1]!
}

describe.runIf(hasTmux)('many agents in the chat of a terminal', () => {
  test('/agent lists those that people are offered, with what they do', async () => {
    await chat()
    say('/agent')
    const screen = await terminal.shows('Go on with one: /agent <name>')
    expect(screen).toMatch(/▸ assistant +\S/)
    expect(screen).toMatch(/journal +Keeps a diary\./)
    expect(screen).not.toContain('mole')
    terminal.type('/agent jo')
    await terminal.shows('▸ journal')
  })

  test('/agent goes on with another one and says so, /back returns and tells what was decided', async () => {
    await chat()
    say('hello')
    const first = await restsWith('assistant')
    say('/agent writer list the files')
    await terminal.shows(new RegExp(`Now with writer [0-9a-f]+\\. /back returns to assistant ${first}\\.`))
    await terminal.shows(/› list the files[\s\S]*These are the files/)
    const second = await restsWith('writer')
    say('/back we keep them all')
    await terminal.shows(`Back with assistant ${first}.`)
    await terminal.shows(new RegExp(`‹ system\\n +The person was with writer ${second}\\. we keep them all`))
    await restsWith('assistant')
    say('/back')
    await terminal.shows('There is nothing to go back to')
  })

  test('in a new chat /agent talks to that one from the start, and its next new session is with it', async () => {
    await chat()
    say('/agent researcher')
    await terminal.shows('researcher: a new session begins with your next message.')
    say('hello')
    const first = await restsWith('researcher')
    say('/new')
    await terminal.shows('Say something to researcher')
    say('/agent researcher list the files')
    await terminal.shows(`Now with researcher ${first}.`)
    await restsWith('researcher')
    say('/agent nobody hello')
    await terminal.shows('There is no agent "nobody"')
  })

  test('a switch made on another device is followed, and back again', async () => {
    await chat()
    say('hello')
    const first = await restsWith('assistant')
    const { session } = await desk.json('sessions', 'switch', first, 'coordinator', 'hello there')
    await terminal.shows(`Now with coordinator ${session.handle}.`)
    await terminal.shows('› hello there')
    expect(await restsWith('coordinator')).toBe(session.handle)
    await desk.json('sessions', 'back', session.handle, 'it works')
    await terminal.shows(`Back with assistant ${first}.`)
    await terminal.shows('it works')
    await restsWith('assistant')
  })

  test('an agent leads the person on, and there its message shows who wrote it', async () => {
    vendor.queue({ word: 'take me to my diary' }, { text: 'Dear diary.' })
    vendor.queue(
      { word: 'Switch to the journal' },
      { calls: [{ name: 'switch_to', input: { agent: 'journal', message: 'The person says: take me to my diary' } }] },
      { text: 'You are there.' },
    )
    await chat('porter')
    say('Switch to the journal')
    await terminal.shows(/Now with journal [0-9a-f]+\. \/back returns to porter [0-9a-f]+\./)
    await terminal.shows(/‹ porter [0-9a-f]+\n +The person says: take me to my diary/)
    await terminal.shows('Dear diary.')
    await restsWith('journal')
  })

  test('a question of another agent shows as a question of that one', async () => {
    vendor.queue({ word: 'which day' }, { text: 'Tuesday.' })
    vendor.queue(
      { word: 'Plan it' },
      { calls: [{ name: 'agent_message', input: { to: 'journal', message: 'which day is free?' } }] },
      { text: 'On Tuesday then.' },
    )
    await chat('journal')
    say('good morning')
    const journal = await restsWith('journal')
    const { reply } = await desk.json('send', 'porter', '--new', '--wait', 'Plan it')
    expect(reply).toBe('On Tuesday then.')
    await terminal.shows(/\? porter [0-9a-f]+ asks, and waits\n +which day is free\?/)
    await terminal.shows('Tuesday.')
    expect(await restsWith('journal')).toBe(journal)
  })
})

test('on the command line an independent session stays as it is, and a switch says how to go on there', async () => {
  const { session } = await desk.json('send', 'writer', '--new', '--wait', 'hello')
  expect(await desk.json('sessions', 'promote', session)).toMatchObject({ handle: session, mode: 'chat' })
  const { code, out } = await desk.run('sessions', 'switch', session, 'coder')
  expect([code, out]).toEqual([0, expect.stringMatching(/✓ [0-9a-f]+ coder[\s\S]*troupe chat --session [0-9a-f]+/)])
})
