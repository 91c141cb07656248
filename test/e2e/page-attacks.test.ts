import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { hasBrowser, openTab } from '../kit/browser.ts'
import { makeFolder, putFile } from '../kit/files.ts'
import { createWorld } from '../kit/world.ts'

/** The script of a page that lets in whatever an agent wrote, so that what holds is the server's policy. */
const careless = `
const tried = (act) => { try { act(); return 'done' } catch (error) { return error.name } }
// Now, as a driven browser may do more later.
window.refusals = {
  html: tried(() => { document.body.innerHTML = '<b>agent</b>' }),
  eval: tried(() => eval('1')),
  function: tried(() => new Function('return 1')()),
  policy: tried(() => trustedTypes.createPolicy('agents', { createHTML: (text) => text })),
}
window.show = (html) => {
  const policy = trustedTypes.createPolicy('troupe', { createHTML: (text) => text })
  const place = document.createElement('main')
  place.innerHTML = policy.createHTML(html)
  document.body.append(place)
  place.querySelector('a').click()
  place.querySelector('button').click()
}
window.tell = (url) => Promise.all([
  fetch(url + '/fetch').then(() => 'told', () => 'refused'),
  new Promise((resolve) => {
    const socket = new WebSocket(url.replace('http', 'ws'))
    socket.onopen = () => resolve('told')
    socket.onerror = () => resolve('refused')
  }).catch(() => 'refused'),
])
window.own = true
`

const written = (url: string): string => `
<img src="x" onerror="window.hit = 'onerror'">
<img src="${url}/image">
<svg><script>window.hit = 'svg'</script></svg>
<a href="javascript:window.hit = 'link'">link</a>
<iframe srcdoc="<script>parent.hit = 'frame'</script>"></iframe>
<iframe src="${url}/frame"></iframe>
<form action="${url}/form"><button>send</button></form>
<base href="${url}/">
<link rel="stylesheet" href="${url}/style">
<style>@import "${url}/import"; main { background: url(${url}/background) }</style>
<video src="${url}/video" autoplay></video>
<object data="${url}/object"></object>`

function carelessPage(): string {
  const page = makeFolder()
  putFile(
    join(page, 'index.html'),
    '<!doctype html><title>Troupe</title><link rel="icon" href="data:,"><body><script src="/assets/app.js"></script>',
  )
  putFile(join(page, 'assets', 'app.js'), careless)
  return page
}

/** Another program on this machine that would like to hear something. */
async function listener(): Promise<{ url: string; heard: string[] }> {
  const heard: string[] = []
  const server = createServer(({ url = '' }, response) => {
    heard.push(url)
    response.writeHead(200, { 'access-control-allow-origin': '*', 'content-type': 'text/html' })
    response.end('<title>elsewhere</title>')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, heard }
}

describe.runIf(hasBrowser)('in a browser', () => {
  test('what an agent wrote runs nothing and tells nobody, even in a page that lets it in; no frame shows the page', async () => {
    const world = await createWorld({ page: carelessPage() })
    const other = await listener()
    const page = await openTab(world, {
      expects: /Content Security Policy|Trusted|violates|a request to|ERR_|refused/i,
    })
    await page.goto(`${world.server.url}/sessions/abcd`)
    expect(await page.evaluate('window.refusals')).toEqual({
      html: 'TypeError',
      eval: 'EvalError',
      function: 'EvalError',
      policy: 'TypeError',
    })
    await page.evaluate(`show(${JSON.stringify(written(other.url))})`)
    expect(await page.evaluate(`tell(${JSON.stringify(other.url)})`)).toEqual(['refused', 'refused'])
    expect(await page.evaluate('[window.hit, window.own]')).toEqual([undefined, true])
    expect(new URL(page.url()).origin).toBe(world.server.url)
    expect(other.heard).toEqual([])

    await page.goto(other.url)
    await page.setContent(`<iframe src="${world.server.url}/"></iframe>`)
    const frame = page.frames()[1]!
    await frame.waitForLoadState()
    expect(await frame.evaluate('window.own')).toBeUndefined()
  })
})
