import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { test } from 'vitest'
import { builtPage, goTo, openPage } from '../kit/browser.ts'
import { createWorld } from '../kit/world.ts'
import { withFewColours } from './palette.ts'
import { type Stage, setStage } from './stage.ts'

const folder = fileURLToPath(new URL('../../docs/screens/page', import.meta.url))
const wide = { width: 1440, height: 900 }
const phone = { width: 390, height: 844 }
/** Until what was read is drawn and what moves has come to rest. */
const REST_MS = 600

const viewsOf = ({ run, sessions, node }: Stage): Readonly<Record<string, string>> => ({
  home: '/',
  inbox: '/inbox',
  runs: '/runs',
  board: `/runs/${run.id}`,
  node: `/runs/${run.id}?node=${node}`,
  'run-files': `/runs/${run.id}/files`,
  'run-messages': `/runs/${run.id}/messages`,
  conversation: `/sessions/${sessions.flaky}`,
  approval: `/sessions/${sessions.storage}`,
  coordinator: `/sessions/${run.sessionId}`,
  worker: `/runs/${run.id}/workers/Cyd`,
  tasks: '/tasks',
  triggers: '/triggers',
  files: '/files?path=src/store.ts',
  memory: '/memory?file=project::topics/sync.md',
  agents: '/agents',
  agent: '/agents?agent=coder',
  models: '/models',
  cost: '/cost',
  feed: '/feed',
  settings: '/settings',
  devices: '/devices',
})

const onPhone = ['home', 'inbox', 'board', 'conversation', 'coordinator', 'approval', 'tasks']

test('every view in both themes, and some on a phone', async () => {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const stage = await setStage()
  const page = await openPage(stage.world, wide)
  await page.getByRole('heading', { level: 1 }).waitFor()
  for (const [name, path] of Object.entries(viewsOf(stage))) {
    await goTo(page, path)
    await shoot(page, name)
  }
  await goTo(page, '/')
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog').waitFor()
  await page.keyboard.type('co')
  await shoot(page, 'palette')
  await page.keyboard.press('Escape')
  await page.setViewportSize(phone)
  for (const name of onPhone) {
    await goTo(page, viewsOf(stage)[name]!)
    await shoot(page, `${name}-phone`)
  }
  const fresh = await createWorld({ page: builtPage(), settings: { defaultModel: 'demo/demo', providers: {} } })
  const visit = await openPage(fresh, wide)
  await visit.getByRole('button', { name: 'Start the demo' }).waitFor()
  await shoot(visit, 'first-visit')
})

async function shoot(page: Page, name: string): Promise<void> {
  await page.waitForTimeout(REST_MS)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    writeFileSync(join(folder, `${name}-${colorScheme}.png`), withFewColours(await page.screenshot()))
  }
}
