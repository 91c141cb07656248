import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { textOf } from '../../src/contract/messages.ts'
import { onSession } from '../../src/core/base/index.ts'
import { appendMessages } from '../../src/core/sessions/history.ts'
import { builtPage, hasBrowser, openPage } from '../kit/browser.ts'
import { createWorld } from '../kit/world.ts'

const patience = { timeout: 20_000 }

describe.runIf(hasBrowser)('a conversation in the page', { timeout: 150_000 }, () => {
  test('queues while the agent works, stops by Esc Esc, completes names and commands, takes a file, edits, resends and forks', async () => {
    const world = await createWorld({ page: builtPage(), files: { 'notes.md': 'a note' } })
    world.vendor.script(({ lastUserText }) =>
      lastUserText.endsWith('Hang on')
        ? { text: `Slowly it comes. ${'And more of it. '.repeat(40)}`, hang: true }
        : { text: `Heard: ${lastUserText.split('\n').at(-1)}` },
    )
    const session = await world.session()
    const page = await openPage(world, { path: `/sessions/${session.id}` })
    const keys = page.keyboard
    const field = page.getByRole('textbox', { name: /^Message to/ })
    const lastSaid = async (id = session.id) =>
      textOf((await world.messages(id)).findLast(({ role }) => role === 'user')?.parts ?? [])
    await field.focus()
    await keys.type('Hello')
    await keys.press('Enter')
    await page.getByText('Heard: Hello').waitFor()
    await keys.type('Hang on')
    await keys.press('Enter')
    await page.getByRole('button', { name: /^Stop/ }).waitFor()
    await world.eventually(async () => world.vendor.requests.length === 2)
    await keys.type('Later')
    await keys.press('Alt+Enter')
    await page.getByText('queued: read after this turn').waitFor()
    await keys.press('Escape')
    await page.getByText('Esc again stops').waitFor()
    await keys.press('Escape')
    await page.getByText('Heard: Later').waitFor()
    await world.reaches(session.id, 'idle')
    expect((await world.messages(session.id)).some(({ interrupted }) => interrupted)).toBe(true)

    await keys.type('Read @no')
    await page.getByRole('option', { name: /@notes\.md/ }).waitFor()
    await keys.press('Tab')
    expect(await field.inputValue()).toBe('Read @notes.md ')
    await keys.press('Enter')
    await page.getByText('Heard: Read @notes.md').waitFor()
    await keys.type('/p')
    const suggested = page.getByRole('option', { selected: true })
    await suggested.waitFor()
    for (let step = 0; step < 8 && !(await suggested.textContent())?.startsWith('/pin'); step += 1)
      await keys.press('ArrowDown')
    await keys.press('Enter')
    await world.eventually(async () => (await world.look(session.id)).pinnedAt)
    expect(await field.inputValue()).toBe('')

    await keys.type('Look at')
    const data = { name: 'data.csv', mimeType: 'text/csv', buffer: Buffer.from('1,2,3') }
    await page.getByLabel('Files to attach').setInputFiles(data)
    await expect.poll(() => field.inputValue(), patience).toBe('Look at @uploads/data.csv ')
    expect(readFileSync(join(world.project, 'uploads', 'data.csv'), 'utf8')).toBe('1,2,3')
    await field.press('Enter')
    await page.getByText('Heard: Look at @uploads/data.csv').waitFor()

    const mine = page.getByRole('article', { name: /^You/ }).last()
    await mine.getByRole('button', { name: 'Edit' }).focus()
    await keys.press('Enter')
    await page.getByRole('textbox', { name: 'The message' }).fill('Look away')
    await keys.press('Enter')
    await mine.getByText('edited').waitFor()
    expect(await lastSaid()).toBe('Look away')
    await mine.getByRole('button', { name: 'Edit' }).focus()
    await keys.press('Enter')
    await page.getByRole('textbox', { name: 'The message' }).fill('Look up')
    await keys.press('Control+Enter')
    await page.waitForURL((url) => !url.href.includes(session.id))
    await page.getByText('Heard: Look up').waitFor()
    const copy = page.url().split('/').at(-1)!
    expect(await lastSaid(copy)).toBe('Look up')
    expect(JSON.stringify(await world.messages(copy))).not.toContain('Look away')
    expect(await lastSaid()).toBe('Look away')

    const first = page.getByRole('article', { name: /^You/ }).first()
    await first.getByRole('button', { name: 'Fork from here' }).focus()
    await keys.press('Enter')
    await page.waitForURL((url) => !url.href.includes(copy))
    const fork = page.url().split('/').at(-1)!
    expect((await world.messages(fork)).map(({ parts }) => textOf(parts))).toEqual(['Hello'])
  })

  test('that is long opens at its end, is searched whole, and marks what came while the person was away', async () => {
    const world = await createWorld({ page: builtPage() })
    const session = await world.session()
    const line = (at: number) => ({
      ...(at % 2 ? { role: 'assistant' as const } : { role: 'user' as const, from: { kind: 'human' as const } }),
      parts: [{ type: 'text' as const, text: at === 7 || at === 350 ? `The Needle ${at}` : `Straw ${at}` }],
    })
    const older = Array.from({ length: 400 }, (_, at) => line(at))
    await onSession(world.server.core, session.id, 'older', (tx, row) => appendMessages(tx, row, older))
    const page = await openPage(world, { path: `/sessions/${session.id}` })
    const log = page.getByRole('log')
    await log.getByText('Straw 399').waitFor()
    await log.focus()
    await page.keyboard.press('/')
    await page.keyboard.type('needle')
    const status = page.getByRole('search').getByRole('status')
    await status.getByText('1 of 2').waitFor()
    await log.getByText('The Needle 350').waitFor()
    await page.keyboard.press('Enter')
    await log.getByText('The Needle 7').waitFor()
    const marked = () => [...(CSS.highlights.get('found') ?? [])].map((range) => String(range))
    await expect.poll(() => page.evaluate(marked), patience).toEqual(['Needle'])
    await page.keyboard.press('Shift+Enter')
    await log.getByText('The Needle 350').waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => page.getByRole('search').count(), patience).toBe(0)
    await page.getByRole('button', { name: 'Find in this conversation' }).click()
    await page.getByRole('search').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('search').waitFor({ state: 'detached' })

    await page.getByRole('button', { name: 'To the end' }).click()
    await log.getByText('Straw 399').waitFor()
    await world.eventually(async () => (await world.look(session.id)).readSeq === 400)
    await page.keyboard.press('Escape')
    await page.keyboard.press('g')
    await page.keyboard.press('h')
    await page.waitForURL((url) => url.pathname === '/')
    const news = Array.from({ length: 60 }, (_, at) => line(2 * at + 1))
    await onSession(world.server.core, session.id, 'news', (tx, row) => appendMessages(tx, row, news))
    await page.goto(`${world.server.url}/sessions/${session.id}`)
    await page.getByRole('button', { name: 'Jump to unread' }).click()
    await log.getByText(/^\d+ new since/).waitFor()
  })
})
