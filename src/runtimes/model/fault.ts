/** What is known of a failure, from whichever of the shapes the provider packages throw or stream. */
export interface Fault {
  readonly name: string
  readonly status: number | undefined
  readonly type: string
  readonly code: string
  readonly message: string
  readonly headers: Readonly<Record<string, string>>
  /** The system's word for why there was no connection. */
  readonly network: string | undefined
}

export function readFault(error: unknown): Fault {
  const outer = record(error)
  const inner = record(record(outer.data).error ?? record(parse(outer.responseBody)).error)
  const type = String(inner.type ?? outer.type ?? '')
  const code = String(inner.code ?? outer.code ?? '')
  const status = typeof outer.statusCode === 'number' ? outer.statusCode : statusOf(type, code)
  return {
    name: error instanceof Error ? error.name : '',
    status,
    type,
    code,
    message: String(inner.message ?? outer.message ?? ''),
    headers: record(outer.responseHeaders) as Record<string, string>,
    network: networkWord(error),
  }
}

/** Milliseconds to wait, from either header: seconds or a date. */
export function retryAfter(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const exact = Number.parseFloat(headers['retry-after-ms'] ?? '')
  if (exact >= 0) return exact
  const value = headers['retry-after']?.trim()
  if (!value) return undefined
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1000
  const date = Date.parse(value)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

/** Errors inside a stream have no status line; some servers put the number into the code. */
function statusOf(type: string, code: string): number | undefined {
  const number = Number(code)
  return number >= 400 && number < 600 ? number : (statuses[code] ?? statuses[type])
}

const statuses: Record<string, number> = {
  api_error: 500,
  authentication_error: 401,
  billing_error: 402,
  context_length_exceeded: 400,
  insufficient_quota: 402,
  invalid_api_key: 401,
  invalid_request_error: 400,
  model_not_found: 404,
  not_found_error: 404,
  overloaded_error: 529,
  permission_error: 403,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  request_too_large: 413,
  server_error: 500,
  timeout_error: 504,
}

const CAUSES = 5

function networkWord(error: unknown): string | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < CAUSES; at = at.cause, depth++) {
    const { code } = at as Error & { code?: unknown }
    if (typeof code === 'string') return code
  }
  return record(error).isRetryable === true ? 'no connection' : undefined
}

const record = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}

function parse(text: unknown): unknown {
  try {
    return typeof text === 'string' ? JSON.parse(text) : undefined
  } catch {
    return undefined
  }
}
