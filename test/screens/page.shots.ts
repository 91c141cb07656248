import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { test } from 'vitest'
import { goTo, openPage } from '../kit/browser.ts'
import { setStage } from '../kit/stage.ts'

const folder = process.env.SCREENS_DIR ?? fileURLToPath(new URL('../../docs/screens/page', import.meta.url))
const wide = { width: 1440, height: 900 }
const phone = { width: 390, height: 844 }

test('every view in both themes, and some on a phone', async () => {
  mkdirSync(folder, { recursive: true })
  const { world, run, sessions } = await setStage()
  const page = await openPage(world, wide)
  await page.getByRole('heading', { level: 1 }).waitFor()
  const only = process.env.SCREENS_ONLY?.split(',')
  const views = {
    home: '/',
    inbox: '/inbox',
    runs: '/runs',
    board: `/runs/${run.id}`,
    'run-files': `/runs/${run.id}/files`,
    'run-messages': `/runs/${run.id}/messages`,
    'run-feed': `/runs/${run.id}/feed`,
    conversation: `/sessions/${sessions.flaky}`,
    approval: `/sessions/${sessions.storage}`,
    worker: `/runs/${run.id}/workers/Cyd`,
    tasks: '/tasks',
    triggers: '/triggers',
    files: '/files?path=src/store.ts',
    memory: '/memory',
    agents: '/agents',
    agent: '/agents?agent=coder',
    models: '/models',
    cost: '/cost',
    feed: '/feed',
    settings: '/settings',
    devices: '/devices',
  }
  for (const [name, path] of Object.entries(views)) {
    if (only && !only.includes(name)) continue
    await goTo(page, path)
    for (const [size, look] of [
      [wide, ''],
      [phone, '-phone'],
    ] as const) {
      await page.setViewportSize(size)
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        await page.waitForTimeout(150)
        await page.screenshot({ path: join(folder, `${name}${look}-${colorScheme}.png`) })
      }
    }
  }
})
