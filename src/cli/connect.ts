import { type Client, createClient } from '../client/client.ts'
import type { Outgoing, Received, Transport } from '../client/transport.ts'
import { troupe } from './called.ts'
import type { Acting, Cli } from './cli.ts'
import { exits, Failure } from './failure.ts'
import { reachServer } from './server.ts'
import { type SentRequest, sendOver } from './transport.ts'

/** A client of the server that gave us a session's token, else of the running server, which is started where allowed. */
export async function connect(cli: Cli): Promise<Client> {
  if (cli.acting) return clientOver(cli, cli.acting.token, wayOf(cli.acting))
  const { url, token } = await reachServer(cli)
  return clientOf(cli, url, token)
}

export const clientOf = (cli: Cli, url: string, token: string): Client =>
  clientOver(cli, token, { url, send: sendOver(), again: async () => (await reachServer(cli)).url })

const clientOver = (cli: Cli, token: string, way: Way): Client =>
  createClient({ transport: persistent(cli, way), token, project: cli.project })

/** How requests get to a server. */
interface Way {
  readonly url: string
  send(target: URL, request: SentRequest): Promise<Received>
  /** The server's address after it did not answer at the old one. */
  again(): Promise<string>
}

function wayOf(acting: Acting): Way {
  const url = acting.socket ? 'http://localhost' : acting.url
  if (url === undefined) throw noServer(acting)
  return {
    url,
    send: sendOver(acting.socket),
    again: async () => url,
  }
}

/** Follows the server to a new address, and says in the words of the command line when it cannot be reached. */
function persistent(cli: Cli, way: Way): Transport {
  let url = way.url
  const attempt = (path: string, { timeoutMs, repeatable: _, ...request }: Outgoing): Promise<Received> =>
    way.send(new URL(path, url), { ...request, signal: AbortSignal.timeout(timeoutMs) })
  const lost = (error: unknown): Failure =>
    cli.acting && !isTimeout(error) ? noServer(cli.acting) : unreachable(url, error)

  return {
    get url() {
      return url
    },
    send: (path, request) =>
      attempt(path, request).catch(async (error: unknown) => {
        // A server that was killed may have a successor on another port. A request that may have arrived is sent again
        // only if that does no harm.
        if (!wasRefused(error) && !(wasLost(error) && request.repeatable)) throw lost(error)
        url = await way.again()
        return attempt(path, request).catch((again: unknown) => {
          throw lost(again)
        })
      }),
  }
}

const causeOf = (error: unknown): string | undefined =>
  ((error as { cause?: unknown }).cause as NodeJS.ErrnoException | undefined)?.code ??
  (error as NodeJS.ErrnoException).code

/** Nobody took the request. */
const wasRefused = (error: unknown): boolean => ['ECONNREFUSED', 'ENOENT'].includes(causeOf(error) ?? '')

/** The request may have been taken, but no answer came. */
const wasLost = (error: unknown): boolean => ['ECONNRESET', 'EPIPE'].includes(causeOf(error) ?? '')

const noServer = ({ socket, url }: Acting): Failure =>
  new Failure(
    exits.unreachable,
    `No server answers at ${socket ?? url ?? 'TROUPE_SOCKET or TROUPE_URL, which are not set'}.`,
    {
      code: 'cli.no_server',
      hint: 'TROUPE_TOKEN is set: this command acts for a session and starts no server. Unset it to act as the person.',
    },
  )

const isTimeout = (error: unknown): boolean => error instanceof Error && error.name === 'TimeoutError'

function unreachable(url: string, error: unknown): Failure {
  if (isTimeout(error)) {
    return new Failure(exits.unreachable, `The server at ${url} did not answer in time.`, {
      code: 'cli.timeout',
      hint: `See what it is doing with "${troupe} logs"; "${troupe} down" and "${troupe} up" start it again, nothing is lost.`,
    })
  }
  return new Failure(exits.unreachable, `The connection to the server at ${url} was lost.`, {
    code: 'cli.unreachable',
    hint: 'Run the command again: it starts the server if it is gone. What was accepted is not lost.',
  })
}
