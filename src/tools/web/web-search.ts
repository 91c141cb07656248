import { z } from 'zod'
import { AppError } from '../../contract/errors.ts'
import type { WebSearchSettings } from '../../contract/settings.ts'
import { defuse, defuseTags, type ToolContext } from '../../core/base/index.ts'
import { effectiveSettings, isProjects, settingsWithSources } from '../../core/config/index.ts'
import { defineTool } from '../../core/permissions/index.ts'
import { shorten } from '../../lib/shorten.ts'
import { printable } from '../../lib/text.ts'
import { fetchFor } from './outgoing.ts'
import { type Found, searchers } from './searchers.ts'

const COUNT = 5
const MOST = 20
const TITLE_CHARS = 200
const URL_CHARS = 1000
const TEXT_CHARS = 500

export const webSearch = defineTool({
  name: 'web_search',
  description: 'Search the web. Answers titles, addresses and a few words of each page; web_fetch reads a page.',
  input: z.strictObject({
    query: z.string().trim().min(1).max(1000).describe('What to search for'),
    count: z.int().min(1).max(MOST).default(COUNT).describe('How many results'),
  }),
  capabilities: ['net'],
  rare: true,
  parallel: true,
  idempotent: true,
  maxOutputChars: MOST * 1000,
  async run({ query, count }, context) {
    const { settings } = await effectiveSettings(context.core, context.project)
    if (settings.webSearch === undefined) throw notConfigured()
    const found = await search(settings.webSearch, { query, count }, context)
    if (found.length === 0) return { output: 'Nothing was found. Try other words.' }
    return { output: listed(found.slice(0, count)) }
  },
})

async function search(settings: WebSearchSettings, asked: { query: string; count: number }, context: ToolContext) {
  const { provider, baseURL } = settings
  const { requestFor, read, url } = searchers[provider]
  const { path, ...request } = requestFor(asked, keyOf(settings, context))
  // An address that the person set may be on their own machine; the tool's own are public, as a project's have to be.
  const personal = baseURL !== undefined && isPersonal(baseURL, context)
  const base = (baseURL ?? url).replace(/\/+$/, '')
  const answer = await fetchFor(context, `${base}${path}`, {
    ...request,
    allows: () => personal,
    wayOut: NOT_BY_PROJECTS,
    follows: () => false,
  })
  if (answer.status !== 200) throw failure(provider, answer.status)
  try {
    return read(JSON.parse(answer.body.toString('utf8')))
  } catch (cause) {
    throw new AppError('tool.failed', `${provider} answered in a form that is not understood.`, {
      hint: 'The person should check "webSearch" in the settings.',
      cause,
    })
  }
}

const isPersonal = (baseURL: string, { core, project }: ToolContext): boolean =>
  settingsWithSources(core, project).some(
    ({ key, value, source }) =>
      key === 'webSearch' && !isProjects(source) && (value as WebSearchSettings).baseURL === baseURL,
  )

function keyOf({ provider, apiKey }: WebSearchSettings, { core }: ToolContext): string {
  const variable = apiKey?.startsWith('$') ? apiKey.slice(1) : undefined
  const key = variable === undefined ? apiKey : core.env[variable]
  if (key || provider === 'searxng') return key ?? ''
  const what =
    variable === undefined ? 'webSearch.apiKey is not set' : `$${variable} is not set in the environment of the server`
  throw new AppError('tool.failed', `There is no key for ${provider}: ${what}.`, { hint: ONLY_THE_PERSON })
}

const NOT_BY_PROJECTS =
  'A project may name public addresses only. The person can name this one in their own settings: troupe config set webSearch.'
const ONLY_THE_PERSON = 'Only the person can change this; tell them.'

const notConfigured = (): AppError =>
  new AppError('tool.failed', 'No search is configured.', {
    hint: `The person can set one, for example with: troupe config set webSearch '{"provider":"brave","apiKey":"$BRAVE_API_KEY"}' (or tavily, serper; searxng takes a baseURL instead of a key). Until then use web_fetch with addresses you know.`,
  })

function failure(provider: string, status: number): AppError {
  if (status === 401 || status === 403)
    return new AppError('tool.failed', `${provider} does not accept the key (${status}).`, { hint: ONLY_THE_PERSON })
  if (status === 429 || status === 432)
    return new AppError('tool.failed', `${provider} takes no more searches for now (${status}).`, {
      hint: 'Go on with what you have, or try again later.',
    })
  return new AppError('tool.failed', `${provider} answered ${status}.`, {
    hint: 'Try again, with other words perhaps.',
  })
}

/** What others wrote about their pages is material: it cannot leave its section or speak as the runtime. */
function listed(found: readonly Found[]): string {
  const entries = found.map(({ title, url, text }, at) => {
    const lines = [`${at + 1}. ${oneLine(title, TITLE_CHARS)}`, oneLine(url, URL_CHARS), oneLine(text, TEXT_CHARS)]
    return lines.filter((line) => line !== '').join('\n   ')
  })
  return `<results>\n${defuseTags(defuse(printable(entries.join('\n'))), ['results'])}\n</results>`
}

const oneLine = (text: string, chars: number): string => shorten(text.replace(/\s+/g, ' ').trim(), chars)
