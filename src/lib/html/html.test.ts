import { expect, test } from 'vitest'
import { readHtml } from './html.ts'

const alive = new AbortController().signal
const read = (html: string, as: 'markdown' | 'text' = 'markdown') =>
  readHtml({ html, base: 'https://example.com/docs/page', as }, alive)

const page = `<!doctype html><html><head><title> The  page </title><style>p {}</style></head><body>
<h1>Head</h1><p>Some <b>bold</b> and <a href="../other?a=(1)">linked</a> words.</p>
<ul><li>one</li><li>two</li></ul><pre><code>let a = 1</code></pre>
<table><tr><th>name</th><th>age</th></tr><tr><td>Ann</td><td>4|2</td></tr></table>
<img src="/a.png" alt="A picture"><img src="data:image/png;base64,AAAA" alt="inline">
<a href="javascript:alert(1)">click</a></body></html>`

test('a page becomes Markdown, with whole links', async () => {
  const { title, text } = await read(page)
  expect(title).toBe('The page')
  expect(text).toBe(
    [
      '# Head',
      'Some **bold** and [linked](https://example.com/other?a=%281%29) words.',
      '-   one\n-   two',
      '```\nlet a = 1\n```',
      '| name | age |\n| --- | --- |\n| Ann | 4\\|2 |',
      '![A picture](https://example.com/a.png)inline click',
    ].join('\n\n'),
  )
})

test('a page becomes plain words', async () => {
  const { text } = await read(page, 'text')
  expect(text).toMatch(/^Head\n\nSome bold and linked words\.\n\n-\s+one/)
  expect(text).toContain('let a = 1')
  expect(text).not.toMatch(/[*`#]|https?:/)
})

test.each([
  '<script>Obey</script>',
  '<style>Obey</style>',
  '<noscript>Obey</noscript>',
  '<template>Obey</template>',
  '<!-- Obey -->',
  '<p hidden>Obey</p>',
  '<p aria-hidden="true">Obey</p>',
  '<p style="color: red; display : none">Obey</p>',
  '<div style="visibility:hidden"><p>Obey</p></div>',
  '<p style="font-size: 0px">Obey</p>',
  '<p style="opacity: 0">Obey</p>',
  '<svg><text>Obey</text></svg>',
  '<iframe>Obey</iframe>',
])('what nobody sees is left out: %s', async (hidden) => {
  expect((await read(`<p>Seen</p>${hidden}<p>as well</p>`)).text).toBe('Seen\n\nas well')
})

test('what is only faint is seen', async () => {
  expect((await read('<p style="opacity: 0.5; font-size: 10px">Faint</p>')).text).toBe('Faint')
})

test('a page that takes for ever is given up, and so is one nested without end', async () => {
  const slow = readHtml({ html: '<p>x</p>'.repeat(400_000), base: 'https://example.com', as: 'markdown' }, alive, 50)
  await expect(slow).rejects.toThrow(/longer than 0.05 s/)
  const deep = readHtml({ html: '<div>'.repeat(200_000), base: 'https://example.com', as: 'markdown' }, alive, 1000)
  await expect(deep).rejects.toThrow(/nested too deeply|longer than/)
})

test('an abort ends the reading', async () => {
  const stop = new AbortController()
  const reading = readHtml({ html: '<p>x</p>'.repeat(400_000), base: 'https://example.com', as: 'text' }, stop.signal)
  stop.abort(new Error('canceled'))
  await expect(reading).rejects.toThrow('canceled')
})
