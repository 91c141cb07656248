import { asObject } from '../../../lib/json.ts'

/** What is known of a failure, in whatever shape a provider package threw or streamed it. */
export interface Fault {
  readonly name: string
  readonly status: number | undefined
  readonly type: string
  readonly code: string
  readonly message: string
  readonly details: string
  /** What came instead of an answer, as text. */
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
  /** The system's word for why there was no connection. */
  readonly network: string | undefined
}

export function readFault(error: unknown): Fault {
  const outer = asObject(error)
  const inner = innerOf(outer)
  const type = String(inner.type ?? inner.status ?? outer.type ?? '')
  const code = String(inner.code ?? outer.code ?? '')
  const line = typeof outer.statusCode === 'number' ? outer.statusCode : undefined
  return {
    name: error instanceof Error ? error.name : '',
    status: statusOf(type, code, line),
    type,
    code,
    message: String(inner.message ?? outer.message ?? ''),
    details: details(inner),
    body: typeof outer.responseBody === 'string' ? outer.responseBody.slice(0, BODY_CHARS) : '',
    headers: { ...headersIn(outer.responseHeaders), ...headersIn(asObject(inner.metadata).headers) },
    network: networkWord(error),
  }
}

/** The vendor's own error object: in the parsed data, in the body, inside a failed response, or the thing itself. */
function innerOf(outer: Record<string, unknown>): Record<string, unknown> {
  const data = asObject(outer.data)
  const body = parse(outer.responseBody)
  // One vendor answers some streams with a list of one.
  const whole = asObject(Array.isArray(body) ? body[0] : body)
  const candidates = [data.error, asObject(data.response).error, whole.error, asObject(whole.response).error]
  const found = candidates.find((candidate) => typeof candidate === 'object' && candidate !== null)
  return asObject(found ?? (data.message === undefined ? undefined : data))
}

/** One broker puts the headers of the vendor behind it into the body. */
const headersIn = (headers: unknown): Record<string, string> =>
  Object.fromEntries(Object.entries(asObject(headers)).map(([name, value]) => [name.toLowerCase(), String(value)]))

/** What stands beside the message: reasons, quotas and delays of one vendor, the upstream's words of another. */
function details({ details, metadata }: Record<string, unknown>): string {
  const found = [details, metadata].filter((value) => value !== undefined && value !== null)
  return found.length === 0 ? '' : JSON.stringify(found).slice(0, 2000)
}

/** The vendor's code comes first: inside a stream the status line says 200, or what a package made up. */
function statusOf(type: string, code: string, line: number | undefined): number | undefined {
  const number = Number(code)
  if (number >= 400 && number < 600) return number
  const byType = line !== undefined && line >= 400 ? line : (statuses[type] ?? line)
  return statuses[code] ?? byType
}

const statuses: Record<string, number> = {
  api_error: 500,
  authentication_error: 401,
  billing_error: 402,
  content_filter: 400,
  content_policy_violation: 400,
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
  cyber_policy_violation: 400,
  invalid_prompt: 400,
  INVALID_ARGUMENT: 400,
  FAILED_PRECONDITION: 400,
  UNAUTHENTICATED: 401,
  PERMISSION_DENIED: 403,
  NOT_FOUND: 404,
  RESOURCE_EXHAUSTED: 429,
  INTERNAL: 500,
  UNAVAILABLE: 503,
  DEADLINE_EXCEEDED: 504,
}

const BODY_CHARS = 4000
const CAUSES = 5

function networkWord(error: unknown): string | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < CAUSES; at = at.cause, depth++) {
    const { code } = at as Error & { code?: unknown }
    if (typeof code === 'string') return code
  }
  return asObject(error).isRetryable === true ? 'no connection' : undefined
}

function parse(text: unknown): unknown {
  try {
    return typeof text === 'string' ? JSON.parse(text) : undefined
  } catch {
    return undefined
  }
}
