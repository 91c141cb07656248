import { describe, expect, test } from 'vitest'
import { builtPage, hasBrowser, openPage } from '../kit/browser.ts'
import { createWorld } from '../kit/world.ts'

/** A world in which the scripted demo model answers, as without a key. */
const demoWorld = () => createWorld({ page: builtPage(), settings: { defaultModel: 'demo/demo', providers: {} } })

const patience = { timeout: 20_000 }

describe.runIf(hasBrowser)('a run in the page', { timeout: 150_000 }, () => {
  test('plays from the first visit to its result: it grows, asks, is answered, and every moment of it can be seen again', async () => {
    const world = await demoWorld()
    const page = await openPage(world, { theme: 'dark' })
    await page.getByRole('button', { name: 'Start the demo' }).click()
    await page.waitForURL(/\/runs\/run_\w+/)
    const board = page.getByRole('region', { name: 'Nodes' })
    await board.getByText('Weigh the options').waitFor()
    await board
      .getByText(/asks you ·/)
      .first()
      .waitFor()
    // The number is the same in the sidebar and in the title of the tab.
    await page.getByRole('region', { name: 'Needs me' }).getByText('1', { exact: true }).waitFor()
    expect(await page.title()).toMatch(/^\(1\)/)

    await board.getByText('Weigh the options').click()
    const drawer = page.getByRole('complementary', { name: /Node: Weigh the options/ })
    await drawer.getByRole('button', { name: /that it is thorough/ }).click()
    await expect.poll(() => page.title(), patience).toBe('Troupe')
    await drawer.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('complementary', { name: 'Result' }).waitFor()

    const moment = page.getByRole('slider', { name: 'Moment of the run' })
    await moment.press('Home')
    await expect.poll(() => board.getByText('Weigh the options').count(), patience).toBe(0)
    await moment.press('End')
    await board.getByText('Weigh the options').waitFor()
  })

  test('goes on in the page by itself when the server was away, without a reload', async () => {
    const world = await demoWorld()
    const { id } = await world.ok<{ id: string }>('POST', '/api/runs', { goal: 'keep notes' })
    const page = await openPage(world, { path: `/runs/${id}`, expects: /WebSocket|ERR_CONNECTION|Failed to load/ })
    await page
      .getByRole('region', { name: 'Nodes' })
      .getByText(/asks you ·/)
      .first()
      .waitFor()
    await page.evaluate(() => Object.assign(window, { before: true }))
    const [item] = await world.inbox()
    const { port } = world
    await world.server.stop()
    await page.getByText('The server does not answer').waitFor()
    await world.restart({ port })
    await world.ok('POST', `/api/inbox/${item!.id}/answer`, { answer: 'that it is quick' })
    await page.getByRole('complementary', { name: 'Result' }).waitFor()
    expect(await page.evaluate(() => 'before' in window)).toBe(true)
    await expect.poll(() => page.getByText('The server does not answer').count(), patience).toBe(0)
  })
})
