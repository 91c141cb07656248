import type { McpServer } from '../../../contract/mcp.ts'
import type { Sources } from '../settings/layers.ts'

/** A server with what it refers to put in: from here on it may hold secrets. */
type ResolvedServer =
  | { readonly command: string; readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> }
  | { readonly url: string; readonly headers: Readonly<Record<string, string>> }

/** "$NAME" as a whole text and "${NAME}" or "${NAME:-otherwise}" within one read the environment of the server. */
export function resolveServer(config: McpServer, env: Sources['env']): ResolvedServer | { readonly missing: string[] } {
  const missing = new Set<string>()
  const read = (name: string, otherwise?: string): string => {
    const value = env[name] || otherwise
    if (value === undefined) missing.add(name)
    return value ?? ''
  }
  const within = (text: string): string =>
    text.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g, (_, name, otherwise) => read(name, otherwise))
  const whole = (text: string): string => {
    const name = /^\$([A-Za-z_][A-Za-z0-9_]*)$/.exec(text)?.[1]
    return name === undefined ? within(text) : read(name)
  }
  const all = (texts: Readonly<Record<string, string>> = {}): Record<string, string> =>
    Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, whole(text)]))
  const resolved =
    'command' in config
      ? { command: within(config.command), args: (config.args ?? []).map(within), env: all(config.env) }
      : { url: whole(config.url), headers: all(config.headers) }
  return missing.size > 0 ? { missing: [...missing] } : resolved
}
