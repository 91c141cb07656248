import { OpenAPIHono } from '@hono/zod-openapi'
import type { HttpEnv } from '../context.ts'

/** The headers of every answer, whatever it is. */
export const securityHeaders: Readonly<Record<string, string>> = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cache-Control': 'no-store',
}

/** Files that need no token: they say nothing about this machine. */
export const staticPaths: ReadonlySet<string> = new Set(['/', '/page.css'])

export function pageRoutes() {
  return new OpenAPIHono<HttpEnv>()
    .get('/', (c) => c.html(welcome))
    .get('/page.css', (c) => c.body(css, 200, { 'Content-Type': 'text/css; charset=utf-8' }))
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

const welcome = document(
  'Troupe',
  `<h1>Troupe</h1>
<p>A runtime for teams of AI agents that talk to each other. It runs here.</p>
<p>Talk to an agent from a terminal:</p>
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
