import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Agent } from '../../src/contract/agents.ts'
import type { TrustState } from '../../src/contract/trust.ts'
import { builtPage, goTo, hasBrowser, openPage } from '../kit/browser.ts'
import { memoryText, putMemory, trust } from '../kit/memory.ts'
import { createWorld, type World } from '../kit/world.ts'

const patience = { timeout: 20_000 }
const agentOf = (world: World, name: string) => world.ok<Agent>('GET', `/api/agents/${name}`)

describe.runIf(hasBrowser)('what the page keeps', { timeout: 150_000 }, () => {
  test('memory is found, edited and deleted; an agent is made, told what is wrong, and has its tools switched', async () => {
    const world = await createWorld({ page: builtPage() })
    putMemory(world, 'sync.md', '# Sync\n\n## Conflicts\n\nBoth versions stay.\n')
    await trust(world)
    const page = await openPage(world, { path: '/memory', expects: /400/ })
    await page.getByRole('searchbox', { name: 'Search the memory' }).fill('versions')
    await page.getByRole('button', { name: /Conflicts/ }).click()
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await page.getByLabel('Text of sync.md').fill('# Sync\n\nThe newest wins.\n')
    await page.getByRole('button', { name: /^Save/ }).click()
    await expect.poll(() => memoryText(world, 'sync.md'), patience).toBe('# Sync\n\nThe newest wins.\n')
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByText('Choose a file.').or(page.getByText('Nothing is remembered yet.')).first().waitFor()
    expect(() => memoryText(world, 'sync.md')).toThrow('ENOENT')

    await goTo(page, '/agents')
    await page.keyboard.press('n')
    const dialog = page.getByRole('dialog', { name: 'New agent' })
    await dialog.getByLabel(/^Name/).fill('Poet Laureate')
    await dialog.getByRole('button', { name: 'Make it' }).click()
    await dialog.getByRole('alert').getByText('Poet Laureate').waitFor()
    await dialog.getByLabel(/^Name/).fill('poet')
    await dialog.getByLabel(/^What is it for/).fill('Writes verse.')
    await dialog.getByRole('button', { name: 'Make it' }).click()
    await page.getByRole('heading', { level: 1, name: 'poet' }).waitFor()
    const prompt = page.getByRole('region', { name: 'Prompt' })
    await prompt.getByText(/[\d,]+ tokens/).waitFor()
    await page.getByRole('combobox', { name: 'Model', exact: true }).fill('nonsense')
    await page.locator('.agent-models').getByRole('alert').waitFor()
    await page.getByRole('combobox', { name: 'Model', exact: true }).fill('')
    const bash = page.getByRole('group', { name: 'bash', exact: true })
    await bash.getByRole('button', { name: 'Allow' }).click()
    await page.getByText('allow "bash"').waitFor()
    await page.getByPlaceholder('Who it is and how it works.').fill('You answer in verse.')
    await prompt.getByRole('button', { name: /^agent / }).click()
    await prompt.getByText('You answer in verse.').waitFor()
    await page.getByRole('button', { name: /^Save/ }).click()
    await expect
      .poll(async () => (await agentOf(world, 'poet')).definition.permissions?.allow, patience)
      .toEqual(['bash'])
    expect((await agentOf(world, 'poet')).prose.agent).toContain('in verse')
    // What they wrote here is trusted with the rest.
    expect((await world.ok<TrustState>('GET', '/api/trust')).trusted).toBe(true)
  })

  test('a key is written and never shown, a setting changed, a device revoked, a view found by its name; signing out ends it', async () => {
    const world = await createWorld({ page: builtPage() })
    // One that the sidebar has long forgotten.
    await world.session({ title: 'Needle in the hay' })
    await Promise.all(Array.from({ length: 200 }, (_, at) => world.session({ title: `Straw ${at}` })))
    const page = await openPage(world, { path: '/models', expects: /400|401|WebSocket/ })
    await page.getByRole('button', { name: 'Enter a key' }).click()
    await page.getByRole('combobox', { name: 'Provider' }).selectOption('anthropic')
    await page.getByLabel(/^Key/).fill('sk-ant-never-shown-again')
    await page.getByRole('button', { name: 'Keep it' }).click()
    await page.getByRole('cell', { name: 'anthropic', exact: true }).waitFor()
    expect(readFileSync(join(world.home, 'settings.json'), 'utf8')).toContain('sk-ant-never-shown-again')

    await page.keyboard.press('Control+k')
    await page.getByRole('dialog', { name: 'Search or jump' }).waitFor()
    await page.keyboard.type('needle')
    await page.getByRole('option', { name: /Needle in the hay/ }).waitFor()
    await page.getByRole('dialog').getByRole('combobox').fill('')
    await page.keyboard.type('settings')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/settings/)
    await page.getByRole('searchbox', { name: 'Filter the settings' }).fill('providers.anthropic')
    await page.getByText('(hidden)').waitFor()
    expect(await page.content()).not.toContain('sk-ant-never-shown')
    await page.getByRole('searchbox', { name: 'Filter the settings' }).fill('autoWakeBudget')
    await page.getByRole('button', { name: /loop\.autoWakeBudget/ }).click()
    await page.getByLabel('Value').fill('many')
    await page.getByRole('button', { name: 'Set', exact: true }).click()
    await page.getByRole('alert').waitFor()
    await page.getByLabel('Value').fill('9')
    await page.getByRole('button', { name: 'Set', exact: true }).click()
    await page.getByRole('button', { name: /loop\.autoWakeBudget.*9.*your settings/ }).waitFor()

    const other = await openPage(world, { expects: /401|WebSocket/ })
    await other.getByRole('main').waitFor()
    await goTo(page, '/devices')
    await page.getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await other.getByRole('heading', { name: 'Sign in to Troupe' }).waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'Revoke' }).count(), patience).toBe(0)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in to Troupe' }).waitFor()
    expect((await world.ok<{ items: unknown[] }>('GET', '/api/devices')).items).toEqual([])
    expect(await page.evaluate(() => localStorage.getItem('troupe.token'))).toBe(null)
  })

  test('a page from before an update says so where a file of it is gone, and is whole once it is loaded again', async () => {
    const world = await createWorld({ page: builtPage() })
    const page = await openPage(world, { expects: /404|Failed to|preload/ })
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.route(/\/assets\/feed-/, (route) => route.fulfill({ status: 404 }))
    await page.evaluate(() => history.pushState(null, '', '/feed'))
    await page.getByText('This page is from before Troupe was updated.').waitFor()
    await page.unroute(/\/assets\/feed-/)
    await page.getByRole('button', { name: 'Load it again' }).click()
    await page.getByRole('heading', { level: 1, name: 'Feed' }).waitFor()
  })
})
