import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Desk, openDesk } from '../kit/desk.ts'
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
  test('without a key is told what to type, and typing it does something useful', async () => {
    desk.put('hello.txt', 'hi')
    terminal = openTerminal(desk, ['welcome'])
    const screen = await terminal.shows('Say something to assistant')
    expect(screen).toMatch(/demo\/demo +scripted demo: it plays, it does not think/)
    expect(screen).toContain('export ANTHROPIC_API_KEY')
    expect(screen).toContain('Try:  list the files')
    terminal.type('list the files')
    terminal.press('Enter')
    expect(await terminal.shows('idle')).toContain('hello.txt')
    terminal.press('C-d')
    await terminal.shows('The server has stopped')
    await terminal.shows('exit 0')
  })

  test('is led by "init" to an agent of their own, and talks to it', async () => {
    terminal = openTerminal(desk, ['init'])
    await terminal.shows('What is it called?')
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
    await terminal.shows('What is it called?')
    terminal.press('C-c')
    await terminal.shows('Nothing was made.')
    expect(existsSync(join(desk.project, '.troupe/settings.json'))).toBe(false)
  })
})
