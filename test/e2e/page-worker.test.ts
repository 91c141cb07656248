import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { builtPage, hasBrowser, openPage } from '../kit/browser.ts'
import { ended, firstText, leads, nodeIn, put, said } from '../kit/run-files.ts'
import { startRun, takeOn, workNode } from '../kit/runs.ts'
import { publish } from '../kit/script.ts'
import { createWorld } from '../kit/world.ts'

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
/** The same file, said to have ten thousand million points. */
const huge = Buffer.concat([png.subarray(0, 16), Buffer.from('000186a0000186a0', 'hex'), png.subarray(24)])
const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>window.hit = 1</script><circle r="9"/></svg>'

describe.runIf(hasBrowser)('a worker in the page', { timeout: 150_000 }, () => {
  test('has its notes, its changes and the raw log under tabs, and shows the pictures that it published and no SVG', async () => {
    const world = await createWorld({ page: builtPage() })
    const coordinator = leads([takeOn('Ann'), workNode('Draw it', { worker: 'Ann' })], 'Draw it')
    world.vendor.script((request) => {
      if (firstText(request).includes('Goal')) return coordinator(request)
      const scratch = `nodes/${nodeIn(request)}/scratch`
      if (said(request) === 0)
        return {
          text: 'I begin.',
          calls: [put('workers/Ann/notebook.md', 'Draw it **twice**'), put(`${scratch}/report.md`, 'one\ntwo')],
        }
      const runs = join(world.project, '.troupe', 'runs')
      const run = readdirSync(runs).find((name) => name.startsWith('run_'))!
      if (said(request) === 1) {
        writeFileSync(join(runs, run, scratch, 'picture.png'), png)
        writeFileSync(join(runs, run, scratch, 'shape.svg'), svg)
        writeFileSync(join(runs, run, scratch, 'huge.png'), huge)
      }
      return said(request) === 1 ? { calls: [publish('Drawn.')] } : { text: 'Nothing to learn.' }
    })
    const run = await startRun(world, 'Goal')
    await ended(world, run)
    const page = await openPage(world, { path: `/runs/${run.id}/workers/Ann`, width: 1440 })
    await page.getByRole('log', { name: 'Activity' }).getByText('I begin.').waitFor()

    await page.getByRole('tab', { name: /^Diff/ }).click()
    await page
      .getByRole('region', { name: /report\.md$/ })
      .getByRole('cell', { name: 'two' })
      .waitFor()
    await page.getByRole('tab', { name: 'Notebook' }).click()
    await page.getByRole('tabpanel').locator('strong', { hasText: 'twice' }).waitFor()
    await page.getByRole('tab', { name: 'Raw output' }).click()
    await page
      .getByRole('tabpanel')
      .getByText(/\[call \S+\] publish/)
      .waitFor()
    await page.reload()
    await page.getByRole('tabpanel', { name: 'Raw output' }).waitFor()

    const details = page.getByRole('complementary', { name: 'Details' })
    await details.getByRole('button', { name: /picture\.png/ }).click()
    const picture = details.getByRole('img', { name: 'picture.png' })
    await picture.waitFor()
    await expect.poll(() => picture.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(1)
    await details.getByRole('button', { name: /huge\.png/ }).click()
    await details.getByText('100,000 × 100,000 points').waitFor()
    await details.getByRole('button', { name: /shape\.svg/ }).click()
    await details.getByText('window.hit = 1').first().waitFor()
    expect(await page.evaluate(() => [document.images.length, (window as { hit?: number }).hit])).toEqual([
      0,
      undefined,
    ])
  })
})
