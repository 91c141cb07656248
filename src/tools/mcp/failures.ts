import { AppError } from '../../contract/errors.ts'
import { FetchRefused } from '../../lib/net/guarded-target.ts'
import { StartError } from '../../lib/process/processes.ts'
import { SandboxUnavailable, Swapped } from '../../lib/sandbox/sandbox.ts'
import { shorten } from '../../lib/shorten.ts'
import { printable } from '../../lib/text.ts'

/** Errors of the protocol's library are told by their codes, so that nobody loads it to look at one. */
interface Coded {
  readonly code?: unknown
  readonly data?: { readonly status?: unknown }
  readonly status?: unknown
}

const codeOf = (error: unknown): unknown => (error as Coded | undefined)?.code
const statusOf = (error: unknown): unknown => (error as Coded)?.data?.status ?? (error as Coded)?.status

export const isTimeout = (error: unknown): boolean => codeOf(error) === 'REQUEST_TIMEOUT'

/** The connection is no longer there, as far as anybody can tell. */
export const isGone = (error: unknown): boolean =>
  ['CONNECTION_CLOSED', 'NOT_CONNECTED', 'SEND_FAILED'].includes(String(codeOf(error))) ||
  error instanceof FetchRefused ||
  /^CLIENT_HTTP/.test(String(codeOf(error)))

/** The server answered that it does not know us any more, so it did nothing. */
export const isForgotten = (error: unknown): boolean =>
  statusOf(error) === 404 || (statusOf(error) === 400 && /session/i.test((error as Error).message))

/** Nothing was sent: there was no connection, or none was allowed. */
export const isUnsent = (error: unknown): boolean =>
  error instanceof FetchRefused &&
  (error.address !== undefined || (error.cause as NodeJS.ErrnoException | undefined)?.code === 'ECONNREFUSED')

export const wantsLogin = (error: unknown): boolean =>
  statusOf(error) === 401 ||
  (error as { constructor?: { mcpBrand?: unknown } } | undefined)?.constructor?.mcpBrand === 'mcp.UnauthorizedError'

/** What the server itself answered to the request. */
export const isRefusal = (error: unknown): boolean => typeof codeOf(error) === 'number'

/** Why something failed, in words for people and models, as part of a sentence. */
export const whyFailed = (error: unknown): string => inWords(error).replace(/\.$/, '')

function inWords(error: unknown): string {
  if (error instanceof AppError || error instanceof FetchRefused)
    return error.hint ? `${error.message} ${error.hint}` : error.message
  if (error instanceof StartError || error instanceof SandboxUnavailable || error instanceof Swapped)
    return error.message
  if (wantsLogin(error)) return 'it wants a login'
  if (isTimeout(error)) return 'it did not answer in time'
  const message = error instanceof Error ? error.message : String(error)
  return shorten(printable(message), 500)
}
