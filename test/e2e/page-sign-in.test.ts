import { AxeBuilder } from '@axe-core/playwright'
import { describe, expect, test } from 'vitest'
import { builtPage, hasBrowser, openPage, openTab } from '../kit/browser.ts'
import { createWorld } from '../kit/world.ts'

describe.runIf(hasBrowser)('in a browser', () => {
  test('a link signs in once; its code stays in no address; who is revoked sees the way back', async () => {
    const world = await createWorld({ page: builtPage() })
    const { url, code } = await world.ok<{ url: string; code: string }>('POST', '/api/devices/code')
    const page = await openTab(world, { expects: /401|WebSocket/ })
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await page.goto(url.replace('/#', '/inbox#'))
    await page.getByRole('navigation', { name: 'Projects' }).waitFor()
    expect(page.url()).toBe(`${world.server.url}/inbox`)
    expect(asked.filter((address) => address.includes(code) || /token|bearer/i.test(address))).toEqual([])
    await page.reload()
    await page.getByRole('navigation', { name: 'Projects' }).waitFor()

    const late = await openTab(world, { expects: /401/ })
    await late.goto(url)
    await late.getByRole('alert').getByText('was used').waitFor()
    await late.getByText('troupe open').first().waitFor()
    expect(late.url()).toBe(`${world.server.url}/`)
    const { violations } = await new AxeBuilder({ page: late }).analyze()
    expect(violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')).toEqual([])

    // A browser that keeps nothing says so, and leaves the link as it is for another one.
    const forgetful = await openTab(world)
    await forgetful.addInitScript(() => {
      const refuse = () => {
        throw new DOMException('The quota has been exceeded.', 'QuotaExceededError')
      }
      Object.defineProperty(window, 'localStorage', { get: refuse })
    })
    const { url: unused } = await world.ok<{ url: string }>('POST', '/api/devices/code')
    await forgetful.goto(unused)
    await forgetful.getByRole('alert').getByText('storage is blocked or full').waitFor()
    const keeping = await openTab(world, { expects: /401|WebSocket/ })
    await keeping.goto(unused)
    await keeping.getByRole('navigation', { name: 'Projects' }).waitFor()

    const phone = await openPage(world, { width: 390, height: 800, theme: 'dark' })
    await phone.getByRole('main').waitFor()
    const { items } = await world.ok<{ items: { id: string }[] }>('GET', '/api/devices')
    expect(items).toHaveLength(3)
    await world.ok('DELETE', `/api/devices/${items[0]!.id}`)
    await page.getByRole('heading', { name: 'Sign in to Troupe' }).waitFor()
  })
})
