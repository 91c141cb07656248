import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openDesk } from '../kit/desk.ts'
import { hasTmux, openTerminal, type Terminal } from '../kit/terminal.ts'

const desk = openDesk()
let terminal: Terminal

beforeAll(async () => {
  desk.put('.troupe/settings.json', { permissions: { allow: ['bash(make)'] } })
  await desk.run('up', '--detach')
})
afterEach(() => terminal?.close())
afterAll(() => desk.close())

const QUESTION = 'Let them act?'
const READY = 'Say something to'
const trust = async (): Promise<unknown> => JSON.parse((await desk.pipe('', 'trust', '--json')).out)

describe.runIf(hasTmux)('a project that brings what acts', () => {
  test('is asked about on first use at a terminal; without one, and without an answer, nothing is decided', async () => {
    const headless = await desk.run('send', 'assistant', 'hello')
    expect([headless.code, headless.out.includes(QUESTION)]).toEqual([0, false])
    expect(headless.err).toContain('has no effect until you trust this project')
    expect(await trust()).toMatchObject({ trusted: false, declined: false })

    terminal = openTerminal(desk, ['chat', 'assistant', '--new'])
    const asked = await terminal.shows(QUESTION)
    expect(asked).toContain(`${join('.troupe', 'settings.json')}: permissions.allow`)
    // Left without an answer, it is asked again.
    terminal.press('C-c')
    await terminal.shows(READY)
    expect(await trust()).toMatchObject({ trusted: false, declined: false })
  })

  test('is not asked about again after a no, until it changes', async () => {
    terminal = openTerminal(desk, ['send', 'assistant', 'hello'])
    await terminal.shows(QUESTION)
    terminal.press('n')
    await terminal.shows('exit 0')
    expect(await trust()).toMatchObject({ trusted: false, declined: true })
    await terminal.close()
    expect((await desk.run('send', 'assistant', 'hello')).err).toBe('')
    expect((await desk.run('status')).err).toContain('has no effect until you trust this project')

    terminal = openTerminal(desk, ['chat', 'assistant', '--new'])
    expect(await terminal.shows(READY)).not.toContain(QUESTION)
    await terminal.close()

    desk.put('.troupe/settings.json', { permissions: { allow: ['bash(make)', 'bash(ls)'] } })
    terminal = openTerminal(desk, ['chat', 'assistant', '--new', '--plain'])
    await terminal.shows(QUESTION)
    terminal.press('y')
    await terminal.shows('Talking to assistant')
    expect(await trust()).toMatchObject({ trusted: true, declined: false })
  })
})
