import { AxeBuilder } from '@axe-core/playwright'
import { describe, expect, test } from 'vitest'
import { builtPage, hasBrowser, openPage } from '../kit/browser.ts'
import { createWorld } from '../kit/world.ts'

const views = [
  ...['/', '/inbox', '/runs', '/tasks', '/triggers', '/files', '/memory', '/agents', '/models', '/cost', '/feed'],
  ...['/settings', '/devices', '/nowhere'],
]

/** On a phone these are other than wide. */
const laidOutAnew = new Set(['/', '/inbox', '/runs/x', '/sessions/x'])

describe.runIf(hasBrowser)('every view', () => {
  test.each([
    ['wide and light', { width: 1440, height: 900, theme: 'light' }],
    ['on a phone, dark', { width: 390, height: 844, theme: 'dark' }],
  ] as const)(
    '%s has a heading, nothing that sticks out, and nothing serious that axe finds',
    async (_, sight) => {
      const world = await createWorld({ page: builtPage(), settings: { defaultModel: 'demo/demo', providers: {} } })
      const { id, sessionId } = await world.ok<{ id: string; sessionId: string }>('POST', '/api/runs', {
        goal: 'notes',
      })
      await world.eventually(async () => (await world.inbox())[0])
      const page = await openPage(world, sight)
      await page.getByRole('main').waitFor()
      const found: string[] = []
      for (const path of [
        ...views,
        `/runs/${id}`,
        `/runs/${id}/files`,
        `/sessions/${sessionId}`,
        `/runs/${id}/workers/Ben`,
      ]) {
        await page.goto(`${world.server.url}${path}`)
        await page.getByRole('heading', { level: 1 }).waitFor()
        await page.waitForFunction(() => document.querySelector('[aria-busy]') === null)
        // What is the same at every width is read once.
        const read = sight.width > 1000 || laidOutAnew.has(path.replace(/\/\w{16,}|\/run_\w+/g, '/x'))
        const violations = read ? (await new AxeBuilder({ page }).analyze()).violations : []
        for (const { id: rule, impact, nodes } of violations)
          if (impact === 'serious' || impact === 'critical')
            found.push(`${path} ${rule} ${nodes[0]?.html.slice(0, 160)}`)
        const wide = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        )
        if (wide > 0) found.push(`${path} is ${wide} px too wide`)
      }
      expect(found).toEqual([])
    },
    400_000,
  )
})
