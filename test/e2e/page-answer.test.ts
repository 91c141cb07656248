import { describe, expect, test } from 'vitest'
import { builtPage, hasBrowser, openPage } from '../kit/browser.ts'
import { createWorld } from '../kit/world.ts'

describe.runIf(hasBrowser)('what agents ask', { timeout: 150_000 }, () => {
  test('is answered in the same way wherever it stands: at home, in the inbox, over the composer, by keys and in words', async () => {
    const world = await createWorld({ page: builtPage() })
    world.vendor.script(({ lastUserText, messages }) => {
      if (messages.at(-1)?.role === 'tool') return { text: 'It goes on.' }
      if (lastUserText.includes('ask')) {
        const input = { question: 'Which colour?', options: ['red', 'blue'] }
        return { calls: [{ name: 'ask_human', input }] }
      }
      if (lastUserText.includes('write')) {
        const input = { path: '.env', content: 'A=1\nAsked because you said so.\n' }
        return { calls: [{ name: 'write_file', input }] }
      }
      return { calls: [{ name: 'bash', input: { command: 'touch one.txt\ntouch two.txt' } }] }
    })
    const session = await world.session()
    await world.say(session.id, 'run it')
    const page = await openPage(world)
    const card = page.getByRole('article', { name: /asks$/ })
    await card
      .getByText(/touch one.txt/)
      .first()
      .waitFor()
    await card.getByText(/This session and Always allow/).waitFor()
    // What waits for the person needs them; it is not called work besides.
    await page.getByText('1 thing needs you, nothing is working').waitFor()
    // A browser whose clock is an hour ahead says no other ages than the server does.
    await page.addInitScript(() => {
      const { now } = Date
      Date.now = () => now() + 3_600_000
    })
    // What a person hears: each tone is told in the page too.
    await page.addInitScript(() => {
      const { start } = AudioScheduledSourceNode.prototype
      AudioScheduledSourceNode.prototype.start = function (when) {
        document.documentElement.dataset.tones = String(1 + Number(document.documentElement.dataset.tones ?? 0))
        start.call(this, when)
      }
    })
    await world.ok('PUT', '/api/me/layout', { value: { sound: true } })
    await page.reload()
    await card.locator('time', { hasText: /^(now|\d+ s)$/ }).waitFor()
    await page.keyboard.press('o')
    await world.reaches(session.id, 'idle')
    expect((await world.results(session.id)).at(-1)).toBe('[no output]')

    // While everything is paused, every view says so and lets it go on.
    await page.getByRole('button', { name: 'Pause all' }).click()
    await page.keyboard.press('g')
    await page.keyboard.press('i')
    const paused = page.getByRole('status').filter({ hasText: 'Everything is paused since' })
    await paused.waitFor()
    await world.send(session.id, 'ask me')
    await paused.getByRole('button', { name: 'Resume all' }).click()
    await paused.waitFor({ state: 'detached' })
    const item = page.getByRole('region', { name: /^question of/ })
    await item.getByRole('button', { name: /blue/ }).waitFor()
    // Enter goes to the answers, and there it is that of the button.
    await page.keyboard.press('Enter')
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.closest('button')?.textContent))
      .toContain('red')
    await page.keyboard.press('Enter')
    await world.reaches(session.id, 'idle')
    expect(JSON.stringify((await world.results(session.id)).at(-1))).toContain('red')

    // Whoever looks elsewhere is told, until it is answered.
    await page.keyboard.press('g')
    await page.keyboard.press('l')
    await page.getByRole('heading', { level: 1, name: 'Feed' }).waitFor()
    await world.say(session.id, 'ask me')
    const toast = page.getByRole('status').filter({ hasText: 'asks: Which colour?' })
    await toast.waitFor()
    await expect.poll(() => page.evaluate(() => document.documentElement.dataset.tones)).toBe('2')
    await page.keyboard.press('g')
    await page.keyboard.press('i')
    await item.getByRole('button', { name: /blue/ }).waitFor()
    await page.keyboard.press(' ')
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.closest('button')?.textContent))
      .toContain('red')
    const words = item.getByRole('textbox', { name: /^Your answer to/ })
    await words.fill('Green, and')
    await words.press('Shift+Enter')
    await words.pressSequentially('only green')
    await words.press('Enter')
    await world.reaches(session.id, 'idle')
    expect(JSON.stringify((await world.results(session.id)).at(-1))).toContain('Green, and\\nonly green')
    await toast.waitFor({ state: 'detached' })

    await page.keyboard.press('g')
    await page.keyboard.press('l')
    await page.getByRole('heading', { level: 1, name: 'Feed' }).waitFor()
    await world.say(session.id, 'write it')
    await page.getByText(/needs approval: \.env/).waitFor()
    await page.getByRole('button', { name: 'Answer', exact: true }).click()
    await page.waitForURL(/\/inbox\?item=/)
    await page.goto(`${world.server.url}/sessions/${session.id}`)
    const dock = page.getByRole('region', { name: /^Approval for/ })
    await dock.getByRole('cell', { name: 'Asked because you said so.' }).waitFor()
    await dock.getByText(/asked because/).waitFor()
    await page.keyboard.press('d')
    await dock.getByRole('textbox', { name: /^Why not/ }).press('Escape')
    await page.keyboard.press('d')
    await page.keyboard.type('Keep it out')
    await page.keyboard.press('Enter')
    await page.getByText('It goes on.').last().waitFor()
    await world.reaches(session.id, 'idle')
    expect(JSON.stringify((await world.results(session.id)).at(-1))).toContain('Denied by the person: Keep it out.')
  })
})
