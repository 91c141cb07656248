import { z } from 'zod'
import type { WebSearchSettings } from '../../contract/settings.ts'

/** One page that a search found. */
export interface Found {
  readonly title: string
  readonly url: string
  /** A few words of the page. */
  readonly text: string
}

interface Searcher {
  /** Its own address, unless the settings name another. */
  readonly url: string
  requestFor(asked: Asked, key: string): Request
  /** Throws when the answer has another form. */
  read(answer: unknown): Found[]
}

interface Asked {
  readonly query: string
  readonly count: number
}

interface Request {
  readonly path: string
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: string
}

const words = z
  .string()
  .nullish()
  .transform((text) => text ?? '')

const post = (path: string, headers: Record<string, string>, body: object): Request => ({
  path,
  method: 'POST',
  headers: { ...headers, 'content-type': 'application/json', accept: 'application/json' },
  body: JSON.stringify(body),
})

const get = (path: string, query: Record<string, string>, headers: Record<string, string> = {}): Request => ({
  path: `${path}?${new URLSearchParams(query)}`,
  headers: { ...headers, accept: 'application/json' },
})

const braveAnswer = z.object({
  web: z.object({ results: z.array(z.object({ title: words, url: z.string(), description: words })) }).nullish(),
})
const pagesAnswer = z.object({ results: z.array(z.object({ title: words, url: z.string(), content: words })) })
const serperAnswer = z.object({
  organic: z.array(z.object({ title: words, link: z.string(), snippet: words })).nullish(),
})

/** Each speaks its own format; all of them answer pages. */
export const searchers: Readonly<Record<WebSearchSettings['provider'], Searcher>> = {
  brave: {
    url: 'https://api.search.brave.com/res/v1',
    requestFor: ({ query, count }, key) =>
      get(
        '/web/search',
        { q: query, count: String(count), text_decorations: 'false' },
        { 'x-subscription-token': key },
      ),
    read: (answer) =>
      (braveAnswer.parse(answer).web?.results ?? []).map(({ title, url, description }) => ({
        title,
        url,
        text: description,
      })),
  },
  tavily: {
    url: 'https://api.tavily.com',
    requestFor: ({ query, count }, key) =>
      post('/search', { authorization: `Bearer ${key}` }, { query, max_results: count }),
    read: (answer) =>
      pagesAnswer.parse(answer).results.map(({ title, url, content }) => ({ title, url, text: content })),
  },
  serper: {
    url: 'https://google.serper.dev',
    requestFor: ({ query, count }, key) => post('/search', { 'x-api-key': key }, { q: query, num: count }),
    read: (answer) =>
      (serperAnswer.parse(answer).organic ?? []).map(({ title, link, snippet }) => ({
        title,
        url: link,
        text: snippet,
      })),
  },
  searxng: {
    url: '',
    requestFor: ({ query }, key) =>
      get('/search', { q: query, format: 'json' }, key === '' ? {} : { authorization: `Bearer ${key}` }),
    read: (answer) =>
      pagesAnswer.parse(answer).results.map(({ title, url, content }) => ({ title, url, text: content })),
  },
}
