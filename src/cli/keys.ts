import { createClient } from '../client/client.ts'
import { fetchTransport } from '../client/transport.ts'
import { troupe } from './called.ts'
import type { Cli } from './cli.ts'
import { warn } from './print.ts'

/** The environment variables that bring a provider, by the provider's name. */
const keyNames: Record<string, string> = {
  anthropic: 'ANTHROPIC_API_KEY',
  openai: 'OPENAI_API_KEY',
  google: 'GEMINI_API_KEY',
  openrouter: 'OPENROUTER_API_KEY',
}

export const keysFound = (env: NodeJS.ProcessEnv): { provider: string; variable: string }[] =>
  Object.entries(keyNames)
    .filter(([, variable]) => env[variable])
    .map(([provider, variable]) => ({ provider, variable }))

/** A server keeps the environment it was started with and lacks a key that was exported later. Only names are shown. */
export async function warnAboutKeys(cli: Cli, server: { url: string; token: string }): Promise<void> {
  const mine = keysFound(cli.env)
  if (mine.length === 0) return
  const theirs = await providersOf(server)
  const missing = mine.filter(({ provider }) => theirs && !theirs.includes(provider)).map(({ variable }) => variable)
  if (missing.length === 0) return
  warn(
    `the running server does not have ${missing.join(', ')}: "${troupe} down" and the next command start it with your environment.`,
  )
}

async function providersOf({ url, token }: { url: string; token: string }): Promise<string[] | undefined> {
  try {
    const client = createClient({ transport: fetchTransport(url), token })
    return (await client.call('GET /api/status', { timeoutMs: 5000 })).providers
  } catch {
    return undefined
  }
}
