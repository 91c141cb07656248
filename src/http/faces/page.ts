import { OpenAPIHono } from '@hono/zod-openapi'
import type { MiddlewareHandler } from 'hono'
import type { HttpEnv } from '../context.ts'
import { builtFile, isFileOfPage, isOfPage } from './built.ts'

/** What needs no token: files that are the same on every machine. */
export const isStatic = (method: string, path: string): boolean =>
  (method === 'GET' || method === 'HEAD') && (path === '/page.css' || isOfPage(path) || isFileOfPage(path))

/** The page of `folder`, at every address that it makes itself; where it was not built, a sentence that says how. */
export function pageRoutes(folder: string) {
  const page: MiddlewareHandler<HttpEnv> = async (c, next) => {
    const { path } = c.req
    const found = builtFile(folder, isOfPage(path) ? '/index.html' : path, c.req.header('accept-encoding') ?? '')
    if (found && c.req.method === 'HEAD') return c.body(null, 200, found.headers)
    if (found) return c.body(found.open(), 200, found.headers)
    return isOfPage(path) ? c.html(notBuilt) : next()
  }
  return new OpenAPIHono<HttpEnv>()
    .get('/page.css', (c) => c.body(css, 200, { 'Content-Type': 'text/css; charset=utf-8' }))
    .get('*', (c, next) => (isStatic('GET', c.req.path) ? page(c, next) : next()))
}

export const document = (title: string, body: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="stylesheet" href="/page.css">
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`

const notBuilt = document(
  'Troupe',
  `<h1>Troupe</h1>
<p>A runtime for teams of AI agents that talk to each other. It runs here.</p>
<p>The page was not built. In the folder of Troupe, build it and load this address again:</p>
<pre>npm run build:web</pre>
<p>Or talk to an agent from a terminal:</p>
<pre>troupe chat</pre>
<p>Programs use the HTTP API, with the token of the data folder: <code>/api/docs</code> describes it.</p>`,
)

const css = `:root { color-scheme: light dark; font-family: system-ui, sans-serif; line-height: 1.5; }
main { max-width: 60rem; margin: 3rem auto; padding: 0 1.5rem; }
pre { padding: .75rem 1rem; border: 1px solid color-mix(in srgb, currentColor 20%, transparent); border-radius: .5rem; overflow: auto; }
code, pre { font-family: ui-monospace, monospace; font-size: .9em; }
h2 { margin-top: 2.5rem; }
summary { cursor: pointer; padding: .25rem 0; }
summary b { display: inline-block; min-width: 4.5rem; }
table { border-collapse: collapse; }
td { padding: .15rem 1.5rem .15rem 0; vertical-align: top; }
`
