import type { Transport } from '@modelcontextprotocol/client'
import { AppError } from '../../contract/errors.ts'
import type { Core } from '../../core/base/index.ts'
import { type ConfiguredServer, type Learn, resolveServer } from '../../core/config/index.ts'
import { askAboutChanges, tellUnseen } from '../../core/waits/index.ts'
import { guardedStream } from '../../lib/net/guarded-stream.ts'
import type { Ended } from '../../lib/process/processes.ts'
import { type Box, enclose } from '../../lib/sandbox/sandbox.ts'
import { packagesOf } from './box.ts'
import type { Logins } from './logins.ts'
import { stdioTransport } from './stdio.ts'

/** A call may take 600 s until its answer begins. */
const HEADERS_MS = 610_000
/** What a shell, and `exec` in the sandbox, answer for a program that is not there. */
const NOT_FOUND = 127
const ANSWER_BYTES = 64 * 1024 * 1024
const reconnectionOptions = {
  initialReconnectionDelay: 1000,
  reconnectionDelayGrowFactor: 2,
  maxReconnectionDelay: 30_000,
  maxRetries: 5,
}

/** How a server is reached: by whom it is shut in, and who hears what it prints. */
interface Way {
  readonly core: Core
  readonly server: ConfiguredServer
  /** For a program. */
  readonly box?: Box | undefined
  readonly learn: Learn
  readonly logins: Logins
  print(text: string): void
  ended(why: string): void
}

/** Opens a way to a server as it is written down; from here on secrets are in it, and the mask knows them. */
export async function openTransport(way: Way): Promise<Transport> {
  const { core, server, learn } = way
  const resolved = resolveServer(server.config, core.env)
  if ('missing' in resolved)
    throw new AppError('tool.failed', `${resolved.missing.map((name) => `$${name}`).join(', ')} is not set.`, {
      hint: `${server.file} refers to it: set it in the environment in which the server is started.`,
    })
  learn(`mcp:${server.digest}`, { mcpServers: { [server.name]: resolved } })
  return 'command' in resolved ? openProgram(way, resolved) : openElsewhere(way, resolved)
}

interface Program {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

async function openProgram({ core, server, box, print, ended }: Way, { command, args, env }: Program) {
  if (box === undefined) throw new Error(`${server.name} has no box.`)
  const { parseJSONRPCMessage } = await import('@modelcontextprotocol/client')
  // It serves whoever asks, so it has no session's token and no way to the server.
  const readable = [...box.readable, ...packagesOf([command, ...args])]
  const own = { ...box, readable, lasting: true, socket: undefined }
  const { release, ...shut } = await enclose([command, ...args], own, core.env)
  const done = (how: Ended): void => {
    ended(inWords(how))
    const look = async (): Promise<void> => {
      const { aside, note } = await release()
      if (aside !== undefined) await askAboutChanges(core, aside)
      if (note !== undefined && box.owner !== '') await tellUnseen(core, box.owner, note)
    }
    look().catch((error) => core.log('error', 'what an MCP server left was not looked at', { error: String(error) }))
  }
  return stdioTransport(
    {
      ...shut,
      cwd: box.workspace,
      env: core.env,
      declared: { ...(box.mode === 'off' ? {} : inside), ...env, ...shut.declared },
    },
    { errors: print, ended: done },
    (line) => parseJSONRPCMessage(line),
  )
}

/** Inside, a program can write temporary files only, and asks the proxy of a strict sandbox when it is told to. */
const inside = {
  NODE_USE_ENV_PROXY: '1',
  npm_config_cache: '/tmp/.npm',
  npm_config_update_notifier: 'false',
  XDG_CACHE_HOME: '/tmp/.cache',
  UV_CACHE_DIR: '/tmp/.cache/uv',
}

function inWords({ exitCode, signal, over }: Ended): string {
  if (over !== undefined)
    return `its program took too ${over === 'memory' ? 'much memory' : 'many processes'} and was ended`
  return exitCode === null
    ? `its program was ended by ${signal ?? 'an error'}`
    : `its program ended with exit code ${exitCode}${exitCode === NOT_FOUND ? ': it, or what it starts, was not found' : ''}`
}

async function openElsewhere(
  { core, server, logins }: Way,
  { url, headers }: { readonly url: string; readonly headers: Readonly<Record<string, string>> },
): Promise<Transport> {
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
  const fetch = mcpFetch(core, server, url)
  const authProvider = logins.providerOf(server)
  return new StreamableHTTPClientTransport(new URL(url), {
    fetch,
    requestInit: { headers: { ...headers } },
    reconnectionOptions,
    ...(authProvider && { authProvider }),
  })
}

/** The address guard; only what the person's own files name may be an address of this machine or of their network. */
export function mcpFetch(core: Core, { personal }: ConfiguredServer, url: string) {
  const { host } = new URL(url)
  return guardedStream({
    own: core.url(),
    allows: (_, to) => personal && to.host === host,
    headersMs: HEADERS_MS,
    bytes: ANSWER_BYTES,
  })
}
