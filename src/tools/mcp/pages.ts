import type { Client } from '@modelcontextprotocol/client'

/** Of all pages of a list together: no more than one message may have. The library itself gives up beyond 64 pages. */
const LIST_CHARS = 16_000_000
const PAGES = 64

interface Page {
  nextCursor?: string | undefined
}

type Ask = (
  request: { readonly method: string; readonly params?: { readonly cursor?: string } },
  ...more: unknown[]
) => Promise<Page>

/** Of a list that goes on and on, what came within the bounds is all of it: no more pages are asked for. */
export function withFewPages(client: Client): Client {
  const ask = client.request.bind(client) as Ask
  const lists = new Map<string, { pages: number; chars: number }>()
  const fewPages: Ask = async (request, ...more) => {
    const page = await ask(request, ...more)
    if (page.nextCursor === undefined) return page
    const { method, params } = request
    const before = params?.cursor === undefined ? undefined : lists.get(method)
    const read = { pages: (before?.pages ?? 0) + 1, chars: (before?.chars ?? 0) + JSON.stringify(page).length }
    lists.set(method, read)
    if (read.pages >= PAGES || read.chars >= LIST_CHARS) delete page.nextCursor
    return page
  }
  client.request = fewPages as Client['request']
  return client
}
