import type { ProviderType } from '../../../contract/settings.ts'
import { isLoopback } from '../../../lib/net/loopback.ts'

/** What is known of a vendor that has one address and one way to be paid. */
export interface VendorFacts {
  readonly url: string
  /** The environment variable with its key. */
  readonly keyName: string
  /** The environment variable with another address for it, where people use one. */
  readonly urlName?: string
  /** The first is the one meant when nobody chose. */
  readonly models: readonly string[]
}

export const vendors: Partial<Record<ProviderType, VendorFacts>> = {
  anthropic: {
    url: 'https://api.anthropic.com/v1',
    keyName: 'ANTHROPIC_API_KEY',
    urlName: 'ANTHROPIC_BASE_URL',
    models: ['claude-sonnet-5-5', 'claude-opus-5-5', 'claude-haiku-5-5'],
  },
  openai: {
    url: 'https://api.openai.com/v1',
    keyName: 'OPENAI_API_KEY',
    urlName: 'OPENAI_BASE_URL',
    models: ['gpt-6-sol', 'gpt-6-luna', 'gpt-6-astra', 'gpt-5.4-mini'],
  },
  google: {
    url: 'https://generativelanguage.googleapis.com/v1beta',
    keyName: 'GEMINI_API_KEY',
    models: ['gemini-3.8-flash', 'gemini-pro-latest', 'gemini-flash-latest', 'gemini-flash-lite-latest'],
  },
  openrouter: {
    url: 'https://openrouter.ai/api/v1',
    keyName: 'OPENROUTER_API_KEY',
    models: ['openrouter/auto'],
  },
}

/** Whose signatures and marks a message carries. A broker has many vendors behind it, and one cannot read another's. */
export function vendorOf(model: string, type: ProviderType): string {
  const end = model.indexOf('/', type === 'openrouter' ? model.indexOf('/') + 1 : 0)
  return end === -1 ? model : model.slice(0, end)
}

/** Whether the server runs on this machine: no catalogue knows its models. */
export function isLocal(url: string | undefined): boolean {
  if (url === undefined || !URL.canParse(url)) return false
  const { hostname } = new URL(url)
  return isLoopback(hostname) || hostname === '0.0.0.0'
}
