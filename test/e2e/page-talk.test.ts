import { describe, expect, test } from 'vitest'
import { onSession } from '../../src/core/base/index.ts'
import { appendMessages } from '../../src/core/sessions/history.ts'
import { builtPage, hasBrowser, openPage } from '../kit/browser.ts'
import { createWorld } from '../kit/world.ts'

const patience = { timeout: 20_000 }

describe.runIf(hasBrowser)('a conversation in the page', { timeout: 150_000 }, () => {
  test('streams, takes a message in the middle, asks before it acts, and is done with the keyboard alone', async () => {
    const world = await createWorld({ page: builtPage() })
    world.vendor.script(({ lastUserText, messages }) => {
      if (lastUserText.includes('Hello')) return { text: 'Hi there.' }
      if (lastUserText.includes('Also this')) return { text: 'Both are **done**.' }
      if (messages.at(-1)?.role === 'tool') return { text: 'It ran.' }
      if (lastUserText.includes('run it')) return { calls: [{ name: 'bash', input: { command: 'touch made.txt' } }] }
      // The end of what streams is held back, as it may be the beginning of a secret.
      return { text: `Slowly it comes. ${'And more of it. '.repeat(40)}`, hang: true }
    })
    const session = await world.session()
    const page = await openPage(world, { path: `/sessions/${session.id}` })
    await page.getByRole('textbox', { name: /^Message to/ }).focus()
    await page.keyboard.type('Hello')
    await page.keyboard.press('Enter')
    await page.getByText('Hi there.').waitFor()
    await page.keyboard.type('Tell me')
    await page.keyboard.press('Enter')
    await page.getByText('Slowly it comes.').waitFor()
    // Whoever comes in the middle sees its beginning, once.
    await page.reload()
    await page.getByRole('log').getByText('Slowly it comes.').waitFor()
    expect(await page.getByText('Slowly it comes.').count()).toBe(1)
    await page.getByRole('textbox', { name: /^Message to/ }).focus()
    await page.keyboard.type('Also this')
    await page.keyboard.press('Control+Enter')
    await page.locator('strong', { hasText: 'done' }).waitFor()

    await page.keyboard.type('run it')
    await page.keyboard.press('Enter')
    const dock = page.getByRole('region', { name: /^Approval for/ })
    await dock.getByText('touch made.txt').first().waitFor()
    // A call that waits for the person says so, in the colour of what a click of theirs moves.
    const call = page.getByRole('log').getByRole('button', { name: /touch made\.txt/ })
    await call.getByRole('img', { name: 'needs approval' }).waitFor()
    const colour = (name: string) =>
      page.evaluate((token) => {
        const probe = document.body.appendChild(Object.assign(document.createElement('i'), { className: token }))
        const found = getComputedStyle(probe).color
        probe.remove()
        return found
      }, name)
    const said = call.getByText('needs approval', { exact: true }).last()
    expect(await said.evaluate((word) => getComputedStyle(word).color)).toBe(await colour('state ask'))
    await page.keyboard.press('Escape')
    await dock.getByRole('button', { name: /once/i }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('It ran.').waitFor()
    await expect.poll(() => dock.count(), patience).toBe(0)
    // What was being said when somebody spoke up stays, marked.
    expect((await world.messages(session.id)).some(({ interrupted }) => interrupted)).toBe(true)
  })

  test('shows what agents write and does nothing of it', async () => {
    const world = await createWorld({ page: builtPage() })
    const hostile = [
      '<script>window.hit = 1</script><img src=x onerror="window.hit = 2">',
      '[click](javascript:window.hit=3) <svg onload="window.hit=4"></svg> ![far](https://far.example/p.png)',
      '\u202Egnp.exe <iframe srcdoc="<script>parent.hit=5</script>"></iframe>',
      `${'x'.repeat(5_000_000)} end of the line`,
    ].join('\n\n')
    const session = await world.session()
    const bombs = [
      `${'>'.repeat(20_000)} deep`,
      `${'- '.repeat(10_000)}deeper`,
      `[data](data:text/html,<script>parent.hit=6</script>) [vb](vbscript:hit)`,
      `|a|b|\n|-|-|\n${'|1|2|\n'.repeat(1200)}`,
      `${'***'.repeat(6000)}bold`,
      `${'|w'.repeat(150)}|\n${'|-'.repeat(150)}|\n${`${'|1'.repeat(150)}|\n`.repeat(60)}`,
    ]
    const said = [hostile, ...bombs, 'All of it was shown.'].map((text) => ({
      role: 'assistant' as const,
      parts: [{ type: 'text' as const, text }],
    }))
    await onSession(world.server.core, session.id, 'hostile', (tx, row) => appendMessages(tx, row, said))
    const page = await openPage(world, { path: `/sessions/${session.id}` })
    await page.getByText('All of it was shown.').waitFor()
    // What is above is drawn when it comes into sight: all of it does on the way up.
    const first = page.getByText('window.hit = 1').first()
    await page.getByRole('log').focus()
    while (!(await first.isVisible())) {
      await page.keyboard.press('PageUp')
      await page.evaluate(() => new Promise(requestAnimationFrame))
    }
    await page.getByText('more characters').first().waitFor()
    const capped = ['2 × 1002 … (200 more)', '101 × 52 … (50 more) … (10 more)']
    await expect.poll(() => page.evaluate(tablesShown), patience).toEqual(capped)
    // What turns the direction of reading is shown, and turns nothing.
    await page.getByText('\\u{202e}gnp.exe').first().waitFor()
    for (const link of await page.getByRole('log').getByRole('link').all())
      expect(await link.getAttribute('href')).toMatch(/^(https?:|mailto:|\/)/)
    expect(
      await page.evaluate(() => [(window as { hit?: number }).hit, document.images.length, frames.length]),
    ).toEqual([undefined, 0, 0])
  })
})

/** The tables in the log: columns, rows, and what they say of those that are not drawn. */
const tablesShown = (): string[] =>
  [...document.querySelectorAll<HTMLTableElement>('[role=log] table')].map(({ rows }) => {
    const more = [...rows].flatMap(({ cells }) => [...cells].map(({ textContent }) => textContent ?? ''))
    return [`${rows[0]?.cells.length} × ${rows.length}`, ...more.filter((text) => text.startsWith('…'))].join(' ')
  })
