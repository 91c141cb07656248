import type { Client, RequestOptions } from '@modelcontextprotocol/client'
import { AppError } from '../../contract/errors.ts'
import type { Tool, ToolContext, ToolOutput } from '../../core/base/index.ts'
import { type ConfiguredServer, isAsConfigured } from '../../core/config/index.ts'
import { whereOf } from '../../core/sessions/index.ts'
import { crashPoint } from '../../lib/process/crash.ts'
import { type Catalog, type Catalogs, toolDigest } from './catalogs.ts'
import { Unreachable } from './connection.ts'
import { isForgotten, isGone, isRefusal, isTimeout, isUnsent, whyFailed } from './failures.ts'
import { ruleNameOf, toolNames } from './names.ts'
import { promptTool, resourceTools } from './rest.ts'
import { resultOutput } from './results.ts'

const TIMEOUT_SECONDS = 60
const LONGEST_MS = 600_000
const LIVE_CHARS = 10_000

/** Asks a server something for a call, by the connection that fits how the call is shut in. */
export type AskServer = <T>(
  server: ConfiguredServer,
  context: ToolContext,
  work: (client: Client, options: RequestOptions) => Promise<T>,
) => Promise<T>

interface Parts {
  readonly catalogs: Catalogs
  readonly ask: AskServer
}

/** What a server has, as tools: its own, and those by which its resources and prompts are read. */
export function toolsOf(server: ConfiguredServer, { listing }: Catalog, parts: Parts): Tool[] {
  const names = toolNames(
    server.name,
    listing.tools.map(({ name }) => name),
  )
  const own = listing.tools.flatMap((tool) => {
    const name = names.get(tool.name)
    return name === undefined ? [] : [ownTool(server, tool, name, parts)]
  })
  const rest = [...(listing.resources ? resourceTools() : []), ...promptTool(listing.prompts)].map((one): Tool => {
    const { ask: work, ...tool } = one
    return {
      ...usual(server),
      ...tool,
      name: toolNames(server.name, [tool.name]).get(tool.name)!,
      ruleName: ruleNameOf(server.name, tool.name),
      rare: true,
      run: async (input, context) =>
        asked(server, context, parts.ask, (client, options) => work(client, input as never, options, server.name)),
    }
  })
  return [...own, ...rest.filter(({ name }) => !own.some((tool) => tool.name === name))]
}

function ownTool(
  server: ConfiguredServer,
  listed: Catalog['listing']['tools'][number],
  name: string,
  parts: Parts,
): Tool {
  const version = toolDigest(listed)
  const { catalogs } = parts
  const isThis = (tool: typeof listed): boolean => tool.name === listed.name && toolDigest(tool) === version
  return {
    ...usual(server),
    name,
    description: listed.description || `${listed.name} of ${server.name}`,
    input: { jsonSchema: { ...listed.inputSchema, type: 'object' } },
    ruleName: ruleNameOf(server.name, listed.name),
    version,
    unapproved: () =>
      catalogs.isApproved(server, listed)
        ? undefined
        : `${name} is new, or has changed since it was approved: the MCP server ${server.name} describes it otherwise than before`,
    run: (input, context) =>
      asked(server, context, parts.ask, async (client, options) => {
        // The server was greeted just now, perhaps, and offers something else than what was judged.
        if (!catalogs.of(server)?.listing.tools.some(isThis)) throw changed(name)
        if (context.approved && !catalogs.isApproved(server, listed)) catalogs.approve(server, listed)
        context.core.security(
          'mcp',
          whereOf(context.sessionId, context.agent.name),
          ruleNameOf(server.name, listed.name),
        )
        crashPoint('mcp.before-call')
        const result = await client.callTool(
          { name: listed.name, arguments: input as Record<string, unknown> },
          options,
        )
        crashPoint('mcp.after-call')
        return resultOutput(server.name, result)
      }),
  }
}

const usual = ({ name, config }: ConfiguredServer) => ({
  capabilities: 'command' in config ? ['mcp'] : ['mcp', 'net'],
  parallel: false,
  idempotent: false,
  maxOutputChars: 30_000,
  origin: { source: 'mcp' as const, place: name, group: name },
  ...('command' in config && { startsProgram: true as const }),
})

async function asked(
  server: ConfiguredServer,
  context: ToolContext,
  ask: AskServer,
  work: (client: Client, options: RequestOptions) => Promise<ToolOutput>,
): Promise<ToolOutput> {
  const { core, project, agent, definition, signal } = context
  if (!(await isAsConfigured(core, project, server, agent, definition)))
    throw failure(`The MCP server ${server.name} has changed or is not trusted any more; the call was not made.`)
  try {
    return await ask(server, context, work)
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof AppError) throw error
    throw failure(sentenceOf(server, error))
  }
}

/** Whether the call may have run is what the model has to know. */
function sentenceOf({ name, config }: ConfiguredServer, error: unknown): string {
  const why = whyFailed(error)
  if (error instanceof Unreachable) return `The MCP server ${name} is down, so the call was not made: ${why}.`
  if (isForgotten(error) || isUnsent(error)) return `The MCP server ${name} did not take the call: ${why}.`
  if (isTimeout(error))
    return `The MCP server ${name} gave neither answer nor sign of progress for ${config.timeoutSeconds ?? TIMEOUT_SECONDS} s, or took longer than ${LONGEST_MS / 1000} s in all. The call was called off; outcome unknown: it may have taken effect.`
  if (isGone(error))
    return `The MCP server ${name} broke off during the call (${why}); outcome unknown: it may have taken effect.`
  if (isRefusal(error)) return `The MCP server ${name} refused the call: ${why}.`
  return `The call of the MCP server ${name} failed (${why}); outcome unknown: it may have taken effect.`
}

const failure = (message: string): AppError =>
  new AppError('tool.failed', message, { hint: 'Look what is there before you repeat it, or go another way.' })

const changed = (name: string): AppError =>
  new AppError('tool.failed', `${name} is no longer what you were shown; it was not run.`, {
    hint: 'What it is now is told at your next turn; the person is asked before it runs.',
  })

/** Bounds of one request: silence, all in all, and what of its progress is shown. */
export function optionsFor({ config }: ConfiguredServer, { signal, output }: ToolContext): RequestOptions {
  let left = LIVE_CHARS
  const over = new AbortController()
  setTimeout(() => over.abort('it took too long'), LONGEST_MS).unref()
  return {
    // The SDK's own bound is looked at only when progress comes, and the server is not told then.
    signal: AbortSignal.any([signal, over.signal]),
    timeout: (config.timeoutSeconds ?? TIMEOUT_SECONDS) * 1000,
    resetTimeoutOnProgress: true,
    onprogress: ({ progress, total, message }) => {
      const line = `${message ?? ''} ${progress}${total === undefined ? '' : `/${total}`}\n`.trimStart()
      if (left > 0) output(line.slice(0, left))
      left -= line.length
    },
  }
}
