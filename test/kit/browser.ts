import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, expect, onTestFinished } from 'vitest'
import { sha256 } from '../../src/lib/files/files.ts'
import { findProgram } from '../../src/lib/process/programs.ts'
import { newFolder } from './files.ts'
import type { World } from './world.ts'

const root = resolve(import.meta.dirname, '../..')
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

/** The page as its sources are now, built once for all tests and kept for the next run. */
export function builtPage(): string {
  const folder = join(root, 'node_modules', '.cache', 'troupe-page')
  const kept = join(folder, digestOf('web', 'src/client', 'src/contract'))
  if (existsSync(kept)) return kept
  mkdirSync(folder, { recursive: true })
  const made = newFolder(folder)
  const node = (...words: string[]) =>
    execFileSync(process.execPath, words, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
  node('node_modules/vite/bin/vite.js', 'build', 'web', '--outDir', made, '--emptyOutDir', '--logLevel', 'error')
  node('scripts/compress.ts', made)
  const old = readdirSync(folder).filter((name) => /^[0-9a-f]{16}$/.test(name) && join(folder, name) !== kept)
  for (const name of old) rmSync(join(folder, name), { recursive: true, force: true })
  // Whoever built it at the same time has built the same.
  if (existsSync(kept)) rmSync(made, { recursive: true })
  else renameSync(made, kept)
  return kept
}

function digestOf(...folders: readonly string[]): string {
  const files = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name)),
  )
  return sha256(
    files
      .sort()
      .map((file) => `${file}\0${sha256(readFileSync(file))}`)
      .join('\n'),
  ).slice(0, 16)
}
