import type { AccountSettings, ProviderSettings, ProviderType } from '../../contract/settings.ts'
import { vendors } from './vendors/facts.ts'

export type Env = Readonly<Record<string, string | undefined>>

/** One set of credentials, with its secrets read in. */
export interface Account {
  readonly name: string
  readonly baseURL: string | undefined
  readonly apiKey: string | undefined
  readonly headers: Readonly<Record<string, string>>
  /** Its address is one that the files of a project name: only a public one is connected to. */
  readonly guarded: boolean
  /** Why it cannot be used, and what to do about it. */
  readonly reason: string | undefined
  /** Values that must never be repeated in a message. */
  readonly secrets: readonly string[]
  /** The same for the same account with the same credentials and address. It holds secrets: in memory only. */
  readonly key: string
}

export const DEFAULT_ACCOUNT = 'default'

/** A provider's accounts in the order they are used: the single key is the first, then those of the list. */
export function accountsOf(
  name: string,
  type: ProviderType | undefined,
  settings: ProviderSettings,
  env: Env,
  ofProject = false,
): Account[] {
  const { accounts: listed = [], baseURL, headers } = settings
  const single = listed.length === 0 || settings.apiKey !== undefined
  const own: AccountSettings[] = single
    ? [{ name: DEFAULT_ACCOUNT, ...(settings.apiKey === undefined ? {} : { apiKey: settings.apiKey }) }]
    : []
  return [...own, ...listed.filter((account) => !single || account.name !== DEFAULT_ACCOUNT)].map((account) =>
    readAccount(
      name,
      type,
      {
        ...account,
        ...(account.baseURL === undefined && baseURL !== undefined ? { baseURL } : {}),
        headers: { ...headers, ...account.headers },
      },
      env,
      ofProject,
    ),
  )
}

function readAccount(
  provider: string,
  type: ProviderType | undefined,
  settings: AccountSettings,
  env: Env,
  ofProject: boolean,
): Account {
  const secrets: string[] = []
  const missing: string[] = []
  const read = (value: string): string => {
    const variable = /^\$([A-Za-z_][A-Za-z0-9_]*)$/.exec(value)?.[1]
    const found = variable === undefined ? value : env[variable]
    if (found) secrets.push(found)
    else if (variable !== undefined) missing.push(`$${variable}`)
    return found ?? ''
  }
  const facts = type && vendors[type]
  const given = settings.apiKey ?? ownKey(facts?.keyName, settings, env)
  const apiKey = given === undefined ? undefined : read(given)
  const headers = Object.fromEntries(
    Object.entries(settings.headers ?? {}).map(([field, value]) => [field, read(value)]),
  )
  const baseURL = settings.baseURL ?? facts?.url
  const guarded = ofProject && settings.baseURL !== undefined
  return {
    name: settings.name,
    baseURL,
    apiKey,
    headers,
    guarded,
    secrets,
    reason: whyNot(provider, type, { ...settings, baseURL }, missing, apiKey),
    key: JSON.stringify([provider, type, settings.name, baseURL, apiKey, headers, guarded]),
  }
}

function whyNot(
  provider: string,
  type: ProviderType | undefined,
  { name, baseURL }: { name: string; baseURL: string | undefined },
  missing: readonly string[],
  apiKey: string | undefined,
): string | undefined {
  const who = name === DEFAULT_ACCOUNT ? `The provider "${provider}"` : `The account "${name}" of "${provider}"`
  const facts = type && vendors[type]
  if (!type) return `${who} needs a type; set providers.${provider}.type, for example "openai-compatible".`
  if (type === 'replay' && provider !== 'replay')
    return `${who} is not needed: "replay/<file>" plays a recording back without settings.`
  if (missing.length > 0) return `${who} reads ${missing.join(', ')}: not set in the environment.`
  if (type === 'openai-compatible' && !baseURL) return `${who} needs an address; set providers.${provider}.baseURL.`
  if (facts && !apiKey) return `${who} has no key; set ${facts.keyName} or providers.${provider}.apiKey.`
  return undefined
}

/** The environment's key goes to the vendor's own address only: settings may point elsewhere. */
const ownKey = (keyName: string | undefined, settings: AccountSettings, env: Env): string | undefined =>
  keyName !== undefined && settings.name === DEFAULT_ACCOUNT && !settings.baseURL && env[keyName]
    ? `$${keyName}`
    : undefined
