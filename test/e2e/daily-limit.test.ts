import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openDesk } from '../kit/desk.ts'
import { hasTmux, openTerminal, type Terminal } from '../kit/terminal.ts'

const desk = openDesk()
let terminal: Terminal

/** A model with a price; nobody has to answer, because nothing is sent. */
const settings = {
  defaultModel: 'lab/dear',
  providers: {
    lab: {
      type: 'openai-compatible',
      baseURL: 'http://127.0.0.1:9/v1',
      models: ['dear', 'unknown'],
      prices: { dear: { input: 1, output: 10 } },
    },
  },
}
const home = join('..', 'home', 'settings.json')
const limit = (): unknown => JSON.parse(readFileSync(join(desk.home, 'settings.json'), 'utf8')).limits?.dailyCostUsd

beforeAll(async () => {
  desk.put(home, settings)
  await desk.run('up', '--detach')
})
afterEach(() => terminal?.close())
afterAll(() => desk.close())

const QUESTION = 'How much may all agents together spend a day?'
const READY = 'Say something to'

describe.runIf(hasTmux)('what agents may spend a day', () => {
  test('is asked at the first chat that costs money, and again until it is answered', async () => {
    terminal = openTerminal(desk, ['chat', 'assistant', '--new'])
    await terminal.shows(QUESTION)
    terminal.press('C-c')
    await terminal.shows(READY)
    expect(limit()).toBeUndefined()
    await terminal.close()

    terminal = openTerminal(desk, ['chat', 'assistant', '--new'])
    await terminal.shows(QUESTION)
    terminal.press('Down', 'Enter')
    await terminal.shows(READY)
    expect(limit()).toBe(5)
    await terminal.close()

    terminal = openTerminal(desk, ['chat', 'assistant', '--new'])
    expect(await terminal.shows(READY)).not.toContain(QUESTION)
  })

  test('may be without limit, which is an answer too', async () => {
    desk.put(home, settings)
    terminal = openTerminal(desk, ['chat', 'assistant', '--new'])
    await terminal.shows(QUESTION)
    terminal.press('Up', 'Enter')
    await terminal.shows(READY)
    expect(limit()).toBe('none')
    await terminal.close()
    terminal = openTerminal(desk, ['chat', 'assistant', '--new'])
    expect(await terminal.shows(READY)).not.toContain(QUESTION)
  })

  test('is not asked where nobody can answer, nor for a model that is not known to cost anything', async () => {
    desk.put(home, settings)
    const piped = await desk.pipe('', 'chat', 'assistant', '--new')
    expect(piped.out + piped.err).not.toContain(QUESTION)
    desk.put(home, { ...settings, defaultModel: 'lab/unknown' })
    terminal = openTerminal(desk, ['chat', 'assistant', '--new'])
    expect(await terminal.shows(READY)).not.toContain(QUESTION)
    expect(limit()).toBeUndefined()
  })
})
