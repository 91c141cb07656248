import type { Clock } from '../../../lib/clock.ts'
import type { Env } from '../accounts.ts'

type Fetch = typeof globalThis.fetch

const PROBE_MS = 400
const KEPT_MS = 30_000
const EMBEDS = /embed|bert|minilm/i

/** Where a local Ollama would be; OLLAMA_HOST is written in several ways. */
export function ollamaURL(env: Env): string {
  const host = (env.OLLAMA_HOST ?? '').trim().replace(/\/+$/, '') || '127.0.0.1:11434'
  const url = URL.parse(/^https?:\/\//.test(host) ? host : `http://${host}`)
  // No address at all: nothing answers there, as at any wrong one.
  if (url === null) return 'http://invalid.invalid/v1'
  if (url.hostname === '0.0.0.0') url.hostname = '127.0.0.1'
  if (url.port === '' && !/^https?:\/\//.test(host)) url.port = '11434'
  return `${url.origin}/v1`
}

/** Asks whether Ollama runs and which models it has: with a short timeout, and not again for a while. */
export function createOllamaProbe(env: Env, fetch: Fetch, clock: Clock): () => Promise<readonly string[]> {
  let asked: { at: number; models: Promise<readonly string[]> } | undefined
  return () => {
    if (asked === undefined || clock.now() - asked.at > KEPT_MS) asked = { at: clock.now(), models: ask(env, fetch) }
    return asked.models
  }
}

async function ask(env: Env, fetch: Fetch): Promise<readonly string[]> {
  try {
    const response = await fetch(ollamaURL(env).replace(/v1$/, 'api/tags'), { signal: AbortSignal.timeout(PROBE_MS) })
    const { models } = (await response.json()) as { models?: { name?: unknown; details?: { family?: unknown } }[] }
    return (models ?? [])
      .filter(({ name, details }) => !EMBEDS.test(`${name} ${details?.family}`))
      .flatMap(({ name }) => (typeof name === 'string' ? [name] : []))
  } catch {
    return []
  }
}
