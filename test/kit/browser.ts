import { dirname, join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, expect, onTestFinished } from 'vitest'
import { findProgram } from '../../src/lib/process/programs.ts'
import { bin } from './desk.ts'
import type { World } from './world.ts'

const program = ['chromium', 'chromium-browser', 'google-chrome']
  .map((name) => findProgram(name, process.env))
  .find((path) => path !== undefined)

export const hasBrowser = program !== undefined
if (!hasBrowser) console.error('!!! CHROMIUM IS NOT INSTALLED: the page is not tested. Install it and run again.')

/** What a person has before them. */
interface Sight {
  readonly width?: number
  readonly height?: number
  readonly theme?: 'light' | 'dark'
  /** Where the page is opened. */
  readonly path?: string
  /** Complaints of the browser that the test provokes; any other fails it. */
  readonly expects?: RegExp
}

/** The page in a browser of its own, signed in by a link as a person is. Whatever the browser complains about fails the test. */
export async function openPage(world: World, sight: Sight = {}): Promise<Page> {
  const page = await openTab(world, sight)
  const { code } = await world.ok<{ code: string }>('POST', '/api/devices/code')
  await page.goto(`${world.server.url}${sight.path ?? '/'}#code=${code}`)
  return page
}

/** A browser that nobody has signed in. */
export async function openTab(world: World, { width = 1280, height = 800, theme = 'light', expects }: Sight = {}) {
  const context = await (await browserOf()).newContext({
    viewport: { width, height },
    colorScheme: theme,
    reducedMotion: 'reduce',
    baseURL: world.server.url,
  })
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('pageerror', ({ message }) => complaints.push(message))
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  page.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(world.server.url))
      complaints.push(`a request to ${request.url()}`)
  })
  onTestFinished(async () => {
    await context.close()
    expect(complaints.filter((text) => !expects?.test(text))).toEqual([])
  })
  return page
}

let browser: Promise<Browser> | undefined
const browserOf = (): Promise<Browser> => (browser ??= launch())
afterAll(async () => (await browser)?.close())

/** The browser's own sandbox refuses to work for root. */
const launch = (): Promise<Browser> =>
  chromium.launch({
    executablePath: program ?? '',
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  })

/** The page as its sources are now; it is built with the program, once for the whole run. */
export const builtPage = (): string => join(dirname(dirname(bin)), 'dist', 'web')

/** Another view of an open page, as by a link in it: nothing is loaded anew. Resolves once it shows what it has. */
export async function goTo(page: Page, path: string): Promise<void> {
  await page.evaluate((to) => history.pushState(null, '', to), path)
  await page.waitForFunction((to) => location.pathname + location.search === to, path)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.waitForFunction(() => document.querySelector('[aria-busy]') === null)
}
