import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Desk, gone, openDesk } from '../kit/desk.ts'
import { hasTmux, openTerminal, type Terminal } from '../kit/terminal.ts'

let desk: Desk
let terminal: Terminal | undefined

beforeEach(() => {
  desk = openDesk()
})
afterEach(async () => {
  await terminal?.close()
  await desk.close()
})

describe.runIf(hasTmux)('a newcomer at a terminal', () => {
  test('who types "troupe" sees what to type, and typing it shows a team at work', async () => {
    desk.put('hello.txt', 'TODO: greet')
    terminal = openTerminal(desk, [], { columns: 100, rows: 50 })
    const screen = await terminal.shows('Say something to assistant')
    expect(screen).toMatch(/demo\/demo +scripted demo: it plays, it does not think/)
    expect(screen).toContain('export ANTHROPIC_API_KEY')
    expect(screen).toMatch(/page +http:\/\/127\.0\.0\.1:\d+\/#code=[0-9a-f]{32}\n/)
    expect(screen).toMatch(/Try: {2}\/run find out how to keep notes\n +show me the team/)
    terminal.type('show me the team')
    terminal.press('Enter')
    const end = await terminal.shows('idle')
    expect(end).toMatch(/researcher hands back:\s+These are the files:[\s\S]*hello\.txt/)
    expect(end).toMatch(/coder hands back:\s+What I found for "TODO":\s+hello\.txt:1: TODO: greet/)
    const { items } = await desk.json('sessions')
    expect(items.map(({ agent }: { agent: string }) => agent).sort()).toEqual(['assistant', 'coder', 'researcher'])

    terminal.type('/run find out how to keep notes')
    terminal.press('Enter')
    await terminal.shows(/✓ Collect[\s\S]*\? Weigh the options[\s\S]*waiting for you/)
    terminal.type('2')
    terminal.press('Enter')
    // When the run is over the chat is there again.
    await terminal.shows(/is looked into[\s\S]*Going on with assistant[\s\S]*idle/)
  })

  test('who types while the server starts is heard as soon as it has started', async () => {
    terminal = openTerminal(desk, [])
    await terminal.shows('Starting the server')
    terminal.type('list the files')
    terminal.press('Enter')
    await terminal.shows(/These are the files[\s\S]*idle/)
  })

  test('kill -9 of the server in the middle of a chat ends neither the chat nor what was said', async () => {
    terminal = openTerminal(desk, [])
    await terminal.shows('Say something to assistant')
    const { pid } = desk.server()!
    process.kill(pid, 'SIGKILL')
    await gone(pid)
    terminal.type('list the files')
    terminal.press('Enter')
    await terminal.shows(/These are the files[\s\S]*idle/)
    expect(desk.server()?.pid).not.toBe(pid)
    terminal.press('C-d')
    await terminal.shows('exit 0')
  })

  test('is led by "init" to an agent of their own, and talks to it', async () => {
    terminal = openTerminal(desk, ['init'])
    await terminal.shows('What is yours called?')
    terminal.type('Scribe!')
    terminal.press('Enter')
    await terminal.shows('must be lowercase')
    terminal.press('C-u')
    terminal.type('scribe')
    terminal.press('Enter')
    await terminal.shows('What does it do?')
    terminal.type('You write release notes. Be dry.')
    terminal.press('Enter')
    await terminal.shows('What may it do?')
    terminal.press('Down', 'Enter')
    await terminal.shows('Talk to scribe now?')
    terminal.press('Enter')
    await terminal.shows('Say something to scribe')
    const folder = join(desk.project, '.troupe/agents/scribe')
    expect(readFileSync(join(folder, 'AGENT.md'), 'utf8')).toContain('You write release notes. Be dry.')
    const { items } = await desk.json('agents')
    expect(items.find(({ name }: { name: string }) => name === 'scribe')).toMatchObject({
      broken: false,
      problems: [],
      description: 'You write release notes.',
    })
    terminal.type('write notes.md: 1.0')
    terminal.press('Enter')
    await terminal.shows('notes.md is written')
  })

  test('who thinks better of "init" leaves nothing behind', async () => {
    terminal = openTerminal(desk, ['init'])
    await terminal.shows('What is yours called?')
    terminal.press('C-c')
    await terminal.shows('Nothing was made.')
    expect(existsSync(join(desk.project, '.troupe/settings.json'))).toBe(false)
  })
})
