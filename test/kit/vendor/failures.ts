import type { Protocol, VendorError } from './reply.ts'

interface Failure {
  status: number
  body: Record<string, unknown>
}

/** The bodies and status lines the vendors send, by protocol and kind. */
export function failure(protocol: Protocol, error: VendorError, key: string): Failure {
  const shape = shapesOf(protocol, key)[error.kind]
  const status = error.status ?? shape.status
  return {
    status,
    body: bodyOf(protocol, {
      ...shape,
      ...delayed(protocol, error, shape),
      status,
      message: error.message ?? shape.message,
    }),
  }
}

/** One vendor writes the time to wait into the body, where others use a header. */
function delayed(protocol: Protocol, { retryAfter }: VendorError, { more }: Shape): Pick<Shape, 'more'> {
  if (protocol !== 'google' || typeof retryAfter !== 'number') return {}
  const details = Array.isArray(more?.details) ? more.details : []
  return { more: { details: [...details, rpc('RetryInfo', { retryDelay: `${retryAfter}s` })] } }
}

function shapesOf(protocol: Protocol, key: string): Record<VendorError['kind'], Shape> {
  if (protocol === 'anthropic') return anthropic
  if (protocol === 'google') return google
  return protocol === 'openrouter' ? openrouter : openai(key)
}

function bodyOf(protocol: Protocol, { status, type, code, message, more }: Shape): Record<string, unknown> {
  if (protocol === 'anthropic') {
    return { type: 'error', error: { type, message }, request_id: 'req_011CSHoEeqs5C35K2UUqR7Fy' }
  }
  if (protocol === 'google') return { error: { code: status, message, status: type, ...more } }
  if (protocol === 'openrouter') return { error: { message, code: status, ...more } }
  return { error: { message, type, param: null, code: code ?? null } }
}

interface Shape {
  status: number
  type: string
  code?: string
  message: string
  /** Fields beside the message. */
  more?: Record<string, unknown>
}

const anthropic: Record<VendorError['kind'], Shape> = {
  'rate-limit': {
    status: 429,
    type: 'rate_limit_error',
    message: "This request would exceed your organization's rate limit of 50,000 input tokens per minute.",
  },
  overloaded: { status: 529, type: 'overloaded_error', message: 'Overloaded' },
  server: { status: 500, type: 'api_error', message: 'Internal server error' },
  auth: { status: 401, type: 'authentication_error', message: 'invalid x-api-key' },
  'bad-request': { status: 400, type: 'invalid_request_error', message: 'temperature: range: -1..1' },
  context: {
    status: 400,
    type: 'invalid_request_error',
    message: 'prompt is too long: 212438 tokens > 200000 maximum',
  },
  'not-found': { status: 404, type: 'not_found_error', message: 'model: no-such-model' },
  policy: { status: 400, type: 'invalid_request_error', message: 'Output blocked by content filtering policy' },
  broke: {
    status: 400,
    type: 'invalid_request_error',
    message: 'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade.',
  },
}

const openai = (key: string): Record<VendorError['kind'], Shape> => ({
  'rate-limit': {
    status: 429,
    type: 'requests',
    code: 'rate_limit_exceeded',
    message: 'Rate limit reached for requests per min (RPM): Limit 3, Used 3, Requested 1.',
  },
  overloaded: {
    status: 503,
    type: 'server_error',
    message: 'The engine is currently overloaded, please try again later',
  },
  server: {
    status: 500,
    type: 'server_error',
    message: 'The server had an error while processing your request. Sorry about that!',
  },
  // The vendor really does quote the key it was sent.
  auth: {
    status: 401,
    type: 'invalid_request_error',
    code: 'invalid_api_key',
    message: `Incorrect API key provided: ${key}. You can find your API key in your account settings.`,
  },
  'bad-request': {
    status: 400,
    type: 'invalid_request_error',
    message: "Unsupported value: 'temperature' does not support 3 with this model.",
  },
  context: {
    status: 400,
    type: 'invalid_request_error',
    code: 'context_length_exceeded',
    message:
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 130224 tokens. Please reduce the length of the messages.",
  },
  'not-found': {
    status: 404,
    type: 'invalid_request_error',
    code: 'model_not_found',
    message: 'The model `no-such-model` does not exist or you do not have access to it.',
  },
  policy: {
    status: 400,
    type: 'invalid_request_error',
    code: 'content_policy_violation',
    message: 'Your request was rejected as a result of our safety system.',
  },
  broke: {
    status: 429,
    type: 'insufficient_quota',
    code: 'insufficient_quota',
    message: 'You exceeded your current quota, please check your plan and billing details.',
  },
})

const rpc = (name: string, fields: Record<string, unknown>) => ({
  '@type': `type.googleapis.com/google.rpc.${name}`,
  ...fields,
})
const quota = (quotaId: string) => rpc('QuotaFailure', { violations: [{ quotaMetric: 'generate_requests', quotaId }] })
/** The vendor uses the same words for a limit per minute and one per day. */
const OUT_OF_QUOTA =
  'You exceeded your current quota, please check your plan and billing details. For more information on this error, head to the documentation.'

const google: Record<VendorError['kind'], Shape> = {
  'rate-limit': {
    status: 429,
    type: 'RESOURCE_EXHAUSTED',
    message: OUT_OF_QUOTA,
    more: {
      details: [quota('GenerateRequestsPerMinutePerProjectPerModel-FreeTier')],
    },
  },
  overloaded: {
    status: 503,
    type: 'UNAVAILABLE',
    message: 'The model is overloaded. Please try again later.',
  },
  server: { status: 500, type: 'INTERNAL', message: 'An internal error has occurred. Please retry.' },
  auth: {
    status: 400,
    type: 'INVALID_ARGUMENT',
    message: 'API key not valid. Please pass a valid API key.',
    more: { details: [rpc('ErrorInfo', { reason: 'API_KEY_INVALID', domain: 'googleapis.com' })] },
  },
  'bad-request': { status: 400, type: 'INVALID_ARGUMENT', message: 'Invalid value at generation_config.temperature.' },
  context: {
    status: 400,
    type: 'INVALID_ARGUMENT',
    message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
  },
  'not-found': {
    status: 404,
    type: 'NOT_FOUND',
    message: 'models/no-such-model is not found for API version v1beta, or is not supported for generateContent.',
  },
  broke: {
    status: 429,
    type: 'RESOURCE_EXHAUSTED',
    message: OUT_OF_QUOTA,
    more: { details: [quota('GenerateRequestsPerDayPerProjectPerModel-FreeTier')] },
  },
  policy: { status: 400, type: 'INVALID_ARGUMENT', message: 'The request was blocked by our safety settings.' },
}

const upstream = { metadata: { provider_name: 'Stand-in', raw: 'Upstream error' } }

const openrouter: Record<VendorError['kind'], Shape> = {
  'rate-limit': { status: 429, type: '', message: 'Rate limit exceeded: free-models-per-min.', more: upstream },
  overloaded: { status: 503, type: '', message: 'Provider returned error: overloaded', more: upstream },
  server: { status: 502, type: '', message: 'Provider returned error', more: upstream },
  auth: { status: 401, type: '', message: 'No auth credentials found' },
  'bad-request': {
    status: 400,
    type: '',
    message: 'Provider returned error: temperature out of range',
    more: upstream,
  },
  context: {
    status: 400,
    type: '',
    message: "This endpoint's maximum context length is 131072 tokens. However, you requested about 140000 tokens.",
  },
  'not-found': { status: 400, type: '', message: 'no-such-model is not a valid model ID' },
  broke: { status: 402, type: '', message: 'Insufficient credits. Add more using your account page.' },
  policy: {
    status: 403,
    type: '',
    message: 'Your chosen model requires moderation and your input was flagged for "violence".',
    more: { metadata: { reasons: ['violence'], flagged_input: '…', provider_name: 'Stand-in' } },
  },
}
