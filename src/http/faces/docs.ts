import type { Routes } from '../../contract/routes/index.ts'
import type { Handlers } from '../handlers.ts'
import { document } from './page.ts'

interface Operation {
  readonly tags?: readonly string[]
  readonly summary?: string
  readonly parameters?: readonly { name: string; in: string; required?: boolean; description?: string }[]
  readonly requestBody?: { content?: Record<string, { schema?: unknown }> }
  readonly responses?: Record<string, { description: string; content?: Record<string, { schema?: unknown }> }>
}
interface Described {
  readonly paths?: Record<string, Record<string, Operation>>
}

/** The API describes itself, for programs and for people. `describe` is called once, when all routes are there. */
export function docHandlers(describe: () => object) {
  let made: object | undefined
  let page: string | undefined
  const openapi = () => {
    made ??= describe()
    return made
  }
  return {
    'GET /api/openapi.json': ({ c }) => c.json(openapi()),
    'GET /api/docs': ({ c }) => {
      page ??= reference(openapi() as Described)
      return c.html(page)
    },
  } satisfies Partial<Handlers<Routes['server']>>
}

function reference({ paths = {} }: Described): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
  const sections = Object.entries(Object.groupBy(operations, ({ operation }) => operation.tags?.[0] ?? 'other'))
  return document(
    'Troupe API',
    `<h1>Troupe API</h1>
<p>Every request but <code>GET /api/health</code> and <code>POST /api/login</code> carries <code>Authorization: Bearer &lt;token&gt;</code>.
Bodies and answers are JSON; errors are <code>{"error": {"code", "message", "hint"}}</code>. As a document: <code>/api/openapi.json</code>.</p>
${sections.map(([tag, list = []]) => `<h2>${inHtml(tag)}</h2>\n${list.map(operationHtml).join('\n')}`).join('\n')}`,
  )
}

function operationHtml({ path, method, operation }: { path: string; method: string; operation: Operation }): string {
  const parameters = (operation.parameters ?? []).map(
    ({ name, in: place, required, description }) =>
      `<tr><td><code>${inHtml(name)}</code></td><td>${inHtml(place)}${required ? ', required' : ''}</td><td>${inHtml(description ?? '')}</td></tr>`,
  )
  const body = operation.requestBody?.content?.['application/json']?.schema
  const answer = operation.responses?.['200']?.content?.['application/json']?.schema
  return `<details>
<summary><b>${method.toUpperCase()}</b> <code>${inHtml(path)}</code> ${inHtml(operation.summary ?? '')}</summary>
${parameters.length > 0 ? `<table>${parameters.join('')}</table>` : ''}
${body === undefined ? '' : `<p>Body</p><pre>${inHtml(JSON.stringify(body, null, 2))}</pre>`}
${answer === undefined ? '' : `<p>Answer</p><pre>${inHtml(JSON.stringify(answer, null, 2))}</pre>`}
</details>`
}

export const inHtml = (text: string): string => text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)
