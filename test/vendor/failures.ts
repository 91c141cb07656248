import type { Protocol, VendorError } from './reply.ts'

interface Failure {
  status: number
  body: Record<string, unknown>
}

/** The bodies and status lines the vendors send, by protocol and kind. */
export function failure(protocol: Protocol, error: VendorError, key: string): Failure {
  const { status, type, code, message } = protocol === 'anthropic' ? anthropic[error.kind] : openai(key)[error.kind]
  const text = error.message ?? message
  const body =
    protocol === 'anthropic'
      ? { type: 'error', error: { type, message: text }, request_id: 'req_011CSHoEeqs5C35K2UUqR7Fy' }
      : { error: { message: text, type, param: null, code: code ?? null } }
  return { status: error.status ?? status, body }
}

interface Shape {
  status: number
  type: string
  code?: string
  message: string
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
  broke: {
    status: 429,
    type: 'insufficient_quota',
    code: 'insufficient_quota',
    message: 'You exceeded your current quota, please check your plan and billing details.',
  },
})
