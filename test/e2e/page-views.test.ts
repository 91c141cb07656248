import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import type { Task } from '../../src/contract/tasks.ts'
import type { Daemon, Trigger } from '../../src/contract/triggers.ts'
import { builtPage, goTo, hasBrowser, openPage } from '../kit/browser.ts'
import { cast } from '../kit/cast.ts'
import { boardBecomes, nodesIn, runBecomes, startRun, takeOn, workNode } from '../kit/runs.ts'
import { askPerson, parts, spawn, tell } from '../kit/script.ts'
import type { Reply } from '../kit/vendor/reply.ts'
import { createWorld, type World } from '../kit/world.ts'

const patience = { timeout: 20_000 }
const never: Reply = { delay: new Promise(() => {}) }
const refused: Reply = { error: { kind: 'bad-request', message: 'No.' } }

const button = (page: Page | ReturnType<Page['getByRole']>, name: string | RegExp) =>
  page.getByRole('button', { name, exact: typeof name === 'string' })

const give = (world: World, prompt: string) => world.ok<Task>('POST', '/api/tasks', { agent: 'ann', input: { prompt } })

/** Resolves once the task has this status. */
const taskBecomes = (world: World, { id }: Task, status: Task['status']): Promise<Task> =>
  world.eventually(async () => {
    const task = await world.ok<Task>('GET', `/api/tasks/${id}`)
    return task.status === status && task
  })

describe.runIf(hasBrowser)('in the page', { timeout: 150_000 }, () => {
  test('tasks are retried, answered and called off; notices are dismissed together and brought back, by keys', async () => {
    const world = await createWorld({ page: builtPage(), files: cast('ann') })
    let works = false
    parts(world, {
      'Paint it': [() => (works ? { text: 'It is **red** now.' } : refused)],
      'Break it': [refused],
      'Ask first': [{ calls: [askPerson] }, { text: 'Then yes.' }],
      'Go on for ever': [never],
      'Hand it on': [{ calls: [spawn('ann', 'Dig the pond')] }, { text: 'Handed on.' }],
      'Dig the pond': [{ text: 'Dug.' }],
      'Write to me': [{ calls: [tell('human', 'All is well here.')] }, { text: 'Sent.' }],
    })
    const paint = await give(world, 'Paint it\nAll of it.')
    const broken = await give(world, 'Break it')
    const asks = await give(world, 'Ask first')
    const endless = await give(world, 'Go on for ever')
    await taskBecomes(world, await give(world, 'Hand it on'), 'finished')
    await taskBecomes(world, paint, 'failed')
    await taskBecomes(world, broken, 'failed')
    await taskBecomes(world, asks, 'waiting')
    await world.say((await world.session({ agent: 'ann' })).id, 'Write to me')
    const page = await openPage(world, { path: '/tasks' })

    works = true
    await button(page, 'Paint it').click()
    const detail = page.getByRole('complementary', { name: 'Task: Paint it' })
    await detail.getByText('Why it ended:').waitFor()
    await button(detail, 'Retry').click()
    await detail.locator('strong', { hasText: 'red' }).waitFor()
    expect(new URL(page.url()).searchParams.get('task')).toBe(paint.id)

    await button(page, 'Ask first').click()
    const asked = page.getByRole('complementary', { name: 'Task: Ask first' })
    await asked.getByRole('textbox').waitFor()
    await page.keyboard.press('j')
    await page.getByRole('complementary', { name: 'Task: Break it' }).waitFor()
    await page.keyboard.press('k')
    await asked.getByRole('textbox').waitFor()
    // Space goes to the answer, where it is a letter like any other.
    await page.keyboard.press(' ')
    await page.keyboard.type('Yes, all')
    await page.keyboard.press('Enter')
    await asked.getByText('Then yes.').waitFor()

    await button(page, 'Go on for ever').click()
    await button(page.getByRole('complementary', { name: 'Task: Go on for ever' }), 'Cancel').click()
    await button(page.getByRole('dialog'), 'Cancel the task').click()
    await taskBecomes(world, endless, 'canceled')

    // What was handed on stands below its task until that is folded, and a table has no folds.
    const handed = page.getByRole('button', { name: 'Dig the pond' })
    await handed.waitFor()
    await button(page, 'Tasks below Hand it on').click()
    await expect.poll(() => handed.count(), patience).toBe(0)
    await button(page, 'Tasks below Hand it on').click()
    await handed.waitFor()
    await button(page, 'Tasks below Hand it on').click()
    await button(page, 'Table').click()
    await handed.waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('break')
    await expect.poll(() => page.getByRole('row').count(), patience).toBe(2)
    expect(page.url()).toMatch(/view=table.*q=break|q=break.*view=table/)

    // The time in which it can be undone passes by itself, and by the clock of the page.
    await page.clock.install()
    await goTo(page, '/inbox')
    const list = page.getByRole('region', { name: 'Open items' })
    await list.getByText('All is well here.').waitFor()
    const count = (await world.inbox()).length
    expect(count).toBeGreaterThan(1)
    for (let at = 0; at < count; at += 1) {
      await page.keyboard.press('x')
      await page.getByText(`${at + 1} selected`).waitFor()
      await page.keyboard.press('j')
    }
    await page.keyboard.press('e')
    await page.getByText('Nothing waits for you').waitFor()
    await page.keyboard.press('z')
    await list.getByText('All is well here.').waitFor()
    expect((await world.inbox()).length).toBe(count)
    for (const box of await list.getByRole('checkbox').all()) await box.check()
    await button(list, /^Dismiss/).click()
    await page.getByText('Nothing waits for you').waitFor()
    await page.clock.fastForward(11_000)
    await world.eventually(async () => (await world.inbox()).length === 0)
  })

  test('a trigger is made, told what is wrong, fired, paused, changed and deleted', async () => {
    const world = await createWorld({ page: builtPage(), files: cast('ann') })
    world.vendor.script(() => ({ text: 'Heard.' }))
    const triggers = async () => (await world.ok<{ items: Trigger[] }>('GET', '/api/triggers')).items
    const page = await openPage(world, { path: '/triggers', expects: /400|404/ })
    await page.getByText('Nothing begins by itself yet').waitFor()
    await page.keyboard.press('n')
    const form = page.getByRole('complementary', { name: 'New trigger' })
    await form.getByLabel('Name').fill('morning')
    await form.getByLabel('Cron').fill('every day')
    await form.getByLabel('To', { exact: true }).fill('ann')
    await form.getByLabel('Message').fill('Look around')
    await button(form, 'Make it').click()
    // The sentence stands at its field, and nothing of what was typed is lost.
    await form.locator('label', { hasText: 'Cron' }).getByRole('alert').waitFor()
    expect(await form.getByLabel('Message').inputValue()).toBe('Look around')
    await form.getByLabel('Cron').fill('0 9 * * MON-FRI')
    await button(form, 'Make it').click()

    const detail = page.getByRole('complementary', { name: 'Trigger morning' })
    await detail.getByText('It was not due yet.').waitFor()
    await button(detail, 'Run now').click()
    await detail.getByRole('cell', { name: /fired/ }).waitFor()
    await detail.getByRole('link', { name: 'its session' }).waitFor()
    await button(detail, 'Pause').click()
    await button(detail, 'Resume').waitFor()
    expect((await triggers())[0]).toMatchObject({ status: 'paused', fires: 1 })

    await detail.getByText('the last one is made up for').waitFor()
    await button(detail, 'Edit').click()
    await detail.getByLabel('What was missed').selectOption('make up for all')
    await detail.getByLabel('Name').fill('evening')
    await detail.getByLabel('Cron').fill('0 18 * * *')
    await button(detail, 'Save').click()
    const renamed = page.getByRole('complementary', { name: 'Trigger evening' })
    await renamed.waitFor()
    await renamed.getByText('all are made up for').waitFor()
    expect((await triggers())[0]).toMatchObject({ name: 'evening', catchUp: 'all', config: { cron: '0 18 * * *' } })
    await button(renamed, 'Delete').click()
    await button(page.getByRole('dialog'), 'Delete it').click()
    await page.getByText('Nothing begins by itself yet').waitFor()
    expect(await triggers()).toEqual([])
  })

  test('a daemon is started with its own pace, stopped and started again; that everything is paused is said wherever one is', async () => {
    const heartbeat = { '../home/agents/ann/heartbeats/garden.md': 'Water the plants.' }
    const world = await createWorld({ page: builtPage(), files: { ...cast('ann'), ...heartbeat } })
    world.vendor.script(() => ({ text: 'Watered.' }))
    const daemon = async () => (await world.ok<{ items: Daemon[] }>('GET', '/api/daemons')).items[0]?.trigger
    const page = await openPage(world, { path: '/triggers' })
    const daemons = page.getByRole('region', { name: 'Daemons' })
    await daemons.getByText('None yet.').waitFor()
    await button(daemons, 'Start one').click()
    await daemons.getByLabel('Agent').fill('ann')
    await daemons.getByLabel('Minutes between ticks').fill('30')
    await page.keyboard.press('Enter')
    await daemons.getByText('garden').waitFor()
    expect(await daemon()).toMatchObject({ status: 'active', config: { intervalSeconds: 1800 } })
    await button(daemons, 'Stop').click()
    await daemons.getByText('stopped').waitFor()
    expect((await daemon())?.status).toBe('paused')
    await button(daemons, 'Start').click()
    await button(daemons, 'Stop').waitFor()
    expect(await daemon()).toMatchObject({ status: 'active', config: { intervalSeconds: 1800 } })
    const still = page.getByRole('status').filter({ hasText: 'Everything is paused since' })
    expect(await still.count()).toBe(0)
    await world.ok('POST', '/api/pause')
    await button(still, 'Resume all').click()
    await expect.poll(() => still.count(), patience).toBe(0)
    expect(await world.ok('GET', '/api/presence')).toEqual({ status: 'available' })
  })

  test('a run is begun with the keyboard alone; its nodes are retried, called off and rewritten; it is paused and stopped', async () => {
    // A budget needs a price.
    const prices = { 'test-model': { input: 1, output: 1, contextWindow: 100_000 } }
    const world = await createWorld({ page: builtPage(), provider: { prices } })
    let works = false
    parts(world, {
      'Dig the hole': [() => (works ? { text: 'Dug.' } : refused)],
      'Buy the wood': [never],
      'Build a house': [
        { calls: [takeOn('Ann'), takeOn('Bob'), workNode('Dig the hole', { worker: 'Ann' })] },
        { calls: [workNode('Buy the wood', { worker: 'Bob' })] },
        (request) => ({ calls: [workNode('Raise the walls', { dependsOn: nodesIn(request).slice(-1) })] }),
        { text: 'Given.' },
      ],
    })
    // A first run, so that the page begins with Home and not with the first visit.
    const first = await startRun(world, 'Build a house')
    await boardBecomes(world, first, { 'Dig the hole': 'failed', 'Buy the wood': 'processing' })
    const page = await openPage(world)
    await page.getByRole('heading', { name: 'Home' }).waitFor()
    await page.keyboard.press('c')
    await page.getByRole('dialog', { name: 'New run' }).waitFor()
    await page.keyboard.type('Build a house of wood')
    for (const name of ['Project', 'Coordinator', 'Model', 'Budget in $']) {
      await page.keyboard.press('Tab')
      expect(await page.evaluate(() => document.activeElement?.closest('label')?.textContent)).toContain(name)
    }
    await page.keyboard.type('5')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/runs\/run_\w+/)
    const run = { id: page.url().split('/').at(-1)! as typeof first.id }
    await boardBecomes(world, run, { 'Dig the hole': 'failed', 'Buy the wood': 'processing' })

    const nodes = page.getByRole('region', { name: 'Nodes' })
    const drawer = (title: string) => page.getByRole('complementary', { name: `Node: ${title}` })
    await nodes.getByText('Raise the walls').click()
    await button(drawer('Raise the walls'), 'Edit').click()
    await drawer('Raise the walls').getByLabel('Spec').fill('Raise the roof\nand the walls')
    await button(drawer('Raise the walls'), 'Save').click()
    await nodes.getByText('Raise the roof').waitFor()

    works = true
    await nodes.getByText('Dig the hole').click()
    await button(drawer('Dig the hole'), 'Retry').click()
    await boardBecomes(world, run, { 'Dig the hole': 'finished' })
    await drawer('Dig the hole').getByText('Dug.').first().waitFor()

    await nodes.getByText('Buy the wood').click()
    await button(drawer('Buy the wood'), 'Cancel').click()
    await button(page.getByRole('dialog'), 'Call it off').click()
    await boardBecomes(world, run, { 'Buy the wood': 'canceled', 'Raise the roof': 'blocked' })

    const bar = page.getByRole('main').locator('header').first()
    await button(bar, 'Pause').click()
    await runBecomes(world, run, 'paused')
    await button(bar, 'Resume').click()
    await button(bar, 'Stop').click()
    await button(page.getByRole('dialog'), 'Stop the run').click()
    await runBecomes(world, run, 'stopped')

    // From one to the next, up, and down again: without the pointer, and without the sidebar.
    const at = (path: string) => page.waitForURL((url) => url.pathname === path)
    await page.keyboard.press(']')
    await at(`/runs/${first.id}`)
    await page.keyboard.press('[')
    await at(`/runs/${run.id}`)
    await page.keyboard.press('u')
    await at('/runs')
    await page.getByRole('row', { name: /Build a house of wood/ }).waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press(' ')
    await at(`/runs/${run.id}`)
  })
})
