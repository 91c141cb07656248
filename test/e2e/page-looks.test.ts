import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { builtPage, goTo, hasBrowser, openPage } from '../kit/browser.ts'
import { createWorld } from '../kit/world.ts'

/** It is put into the page once, and read again and again there. */
const axe = createRequire(createRequire(import.meta.url).resolve('@axe-core/playwright')).resolve('axe-core/axe.min.js')

const views = [
  ...['/', '/inbox', '/runs', '/tasks', '/triggers?make=new', '/files', '/memory', '/agents?agent=coder', '/models'],
  ...['/cost', '/feed', '/settings', '/devices', '/nowhere'],
]

describe.runIf(hasBrowser)('every view', () => {
  test('has a heading, nothing that sticks out, and nothing serious that axe finds, light and dark, wide and on a phone', async () => {
    const world = await createWorld({ page: builtPage(), settings: { defaultModel: 'demo/demo', providers: {} } })
    const { id, sessionId } = await world.ok<{ id: string; sessionId: string }>('POST', '/api/runs', { goal: 'notes' })
    await world.eventually(async () => (await world.inbox())[0])
    const talk = `/sessions/${sessionId}`
    const all = [...views, `/runs/${id}`, `/runs/${id}/files`, talk, `/runs/${id}/workers/Ben`]
    const found: string[] = []
    const page = await openPage(world, { width: 1440, height: 900, theme: 'light' })
    await page.getByRole('main').waitFor()
    await page.evaluate(readFileSync(axe, 'utf8'))
    const check = async (path: string, ...how: readonly [part: string, rules?: readonly string[]]) => {
      found.push(...(await violations(page, ...how)).map((one) => `${path} ${one}`), ...(await tooWide(page, path)))
    }
    for (const path of all) {
      await goTo(page, path)
      // What is around the view is the same everywhere, and in the dark only colours are others.
      const part = path === '/' ? 'body' : 'main'
      await check(path, part)
      await page.emulateMedia({ colorScheme: 'dark' })
      await check(`${path} in the dark`, part, ['color-contrast'])
      await page.emulateMedia({ colorScheme: 'light' })
    }
    await page.setViewportSize({ width: 390, height: 844 })
    await page.emulateMedia({ colorScheme: 'dark' })
    const laidOutAnew = ['/', '/inbox', `/runs/${id}`, talk]
    for (const path of all) {
      await goTo(page, path)
      if (laidOutAnew.includes(path)) await check(`${path} on a phone`, 'body')
      else found.push(...(await tooWide(page, `${path} on a phone`)))
    }
    expect(found).toEqual([])
  }, 120_000)
})

interface Finding {
  readonly id: string
  readonly impact: string
  readonly nodes: readonly { readonly html: string }[]
}

/** What keeps somebody from using this part of the page, with the first place where it is so. */
async function violations(page: Page, part: string, rules?: readonly string[]): Promise<string[]> {
  const found = await page.evaluate(
    async ([within, only]) => {
      const { axe } = window as unknown as {
        axe: { run(part: string, how: object): Promise<{ violations: Finding[] }> }
      }
      const how = { resultTypes: ['violations'], ...(only && { runOnly: { type: 'rule', values: only } }) }
      return (await axe.run(within, how)).violations
    },
    [part, rules] as const,
  )
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id} ${nodes[0]?.html.slice(0, 160)}`)
}

async function tooWide(page: Page, path: string): Promise<string[]> {
  const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
  return over > 0 ? [`${path} is ${over} px too wide`] : []
}
