import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type * as Prices from '@pydantic/genai-prices'
import { AppError } from '../../contract/errors.ts'
import type { ModelPrice, ProviderType } from '../../contract/settings.ts'
import { writeAtomic } from '../../lib/files/files.ts'
import type { Fetch } from './vendors/language.ts'

/** How many tokens of which kind; the cached and written ones are part of the input. */
export interface Usage {
  readonly input: number
  readonly output: number
  readonly cached: number
  readonly written: number
}

/** Whose model it is, as the catalogue can find it. */
interface Listed {
  readonly type: ProviderType
  readonly baseURL: string | undefined
  readonly modelId: string
}

/** Prices and windows of known models: the package's own, or the file a person had fetched. */
export interface Catalogue {
  /** Loads the catalogue once; cheap after that. */
  load(): Promise<Loaded>
  /** Undefined until it has been loaded once. */
  readonly loaded: Loaded | undefined
  update(fetch: Fetch, url: string | undefined): Promise<{ models: number; from: string }>
}

interface Loaded {
  costOf(listed: Listed, usage: Usage, at: Date): number | undefined
  windowOf(listed: Listed): number | undefined
}

const FILE = 'prices.json'
const LARGEST = 20 * 1024 * 1024
const UPDATE_MS = 30_000

export function createCatalogue(home: string | undefined): Catalogue {
  const file = home === undefined ? undefined : join(home, FILE)
  let loaded: Loaded | undefined
  let loading: Promise<Loaded> | undefined
  const load = (): Promise<Loaded> =>
    (loading ??= open(file).then((made) => {
      loaded = made
      return made
    }))
  return {
    load,
    get loaded() {
      return loaded
    },
    async update(fetch, url) {
      if (file === undefined) throw new AppError('request.invalid', 'There is no data folder to keep prices in.')
      const from = url ?? (await import('@pydantic/genai-prices')).REMOTE_DATA_JSON_URL
      const text = await download(fetch, from)
      const providers = providersIn(text)
      if (providers === undefined) {
        throw new AppError('model.failed', `What ${hostOf(from)} sent is not a list of prices; nothing was changed.`)
      }
      writeAtomic(file, text, 0o600)
      loading = undefined
      await load()
      return { models: providers.reduce((sum, { models }) => sum + models.length, 0), from }
    },
  }
}

/** What a person set for the model is stronger than any catalogue. */
export function costBySettings(price: ModelPrice | undefined, usage: Usage): number | undefined {
  if (price?.input === undefined || price.output === undefined) return undefined
  const cached = price.cachedInput ?? price.input
  const { input, output } = price
  return ((usage.input - usage.cached) * input + usage.cached * cached + usage.output * output) / 1_000_000
}

async function open(file: string | undefined): Promise<Loaded> {
  const prices = await import('@pydantic/genai-prices')
  const own = file === undefined ? undefined : await readOwn(file)
  /** Kept because every step asks; there are as many as models in use. */
  const windows = new Map<string, number | undefined>()
  const find = (listed: Listed): Prices.Provider | undefined => {
    const { type, baseURL } = listed
    if (type !== 'openai-compatible')
      return own?.find(({ id }) => id === type) ?? prices.findProvider({ providerId: type })
    if (baseURL === undefined) return undefined
    const served = (provider: Prices.Provider): boolean => new RegExp(`^(?:${provider.api_pattern})`).test(baseURL)
    return own?.find(served) ?? prices.findProvider({ providerApiUrl: baseURL })
  }
  const priced = (listed: Listed, usage: Prices.Usage, timestamp: Date): Prices.PriceCalculationResult => {
    const provider = find(listed)
    try {
      return provider ? prices.calcPrice(usage, listed.modelId, { provider, timestamp }) : null
    } catch {
      // The package cannot follow a rule: the price is not known, which is not the same as nothing.
      return null
    }
  }
  return {
    costOf(listed, { input, output, cached, written }, at) {
      const usage = {
        input_tokens: input,
        output_tokens: output,
        cache_read_tokens: cached,
        ...(written > 0 ? { cache_write_tokens: written } : {}),
      }
      return priced(listed, usage, at)?.total_price
    },
    windowOf(listed) {
      const key = JSON.stringify(listed)
      if (!windows.has(key)) windows.set(key, priced(listed, {}, new Date(0))?.model.context_window)
      return windows.get(key)
    },
  }
}

async function readOwn(file: string): Promise<Prices.Provider[] | undefined> {
  try {
    if ((await stat(file)).size > LARGEST) return undefined
    return providersIn(await readFile(file, 'utf8'))
  } catch {
    return undefined
  }
}

function providersIn(text: string): Prices.Provider[] | undefined {
  try {
    const list = JSON.parse(text) as Prices.Provider[]
    const good = list.every(({ id, models, api_pattern }) => id && api_pattern && Array.isArray(models))
    return good && list.length > 0 ? list : undefined
  } catch {
    return undefined
  }
}

async function download(fetch: Fetch, url: string): Promise<string> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(UPDATE_MS) })
    if (!response.ok) throw new Error(`it answered ${response.status}`)
    const text = await response.text()
    if (text.length > LARGEST) throw new Error('it is too large')
    return text
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new AppError('model.failed', `The prices could not be fetched from ${hostOf(url)}: ${why}.`, {
      hint: 'The prices at hand stay; any of them can be set in the settings, at providers.<name>.prices.',
    })
  }
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : 'that address')
