import { expect, test } from 'vitest'
import { modelError } from './failure.ts'
import { askedWait } from './reset.ts'

const context = {
  provider: 'lab',
  model: 'm',
  account: 'default',
  baseURL: 'http://ann:hunter22@lab.test:8080/v1',
  secrets: ['correct-horse-battery'],
  maxOutputTokens: undefined,
  now: 0,
}

test.each([
  [{ type: 'overloaded_error', message: 'Overloaded' }, 'busy'],
  [{ type: 'server_error', message: 'oops' }, 'busy'],
  [{ code: 'rate_limit_exceeded', message: 'slow down' }, 'busy'],
  [{ code: 502, message: 'Upstream gone' }, 'busy'],
  [{ code: '429', message: 'slow down' }, 'busy'],
  [{ type: 'timeout_error', message: 'too slow' }, 'busy'],
  [{ type: 'something_new', message: 'odd' }, 'retry'],
  [{ type: 'authentication_error', message: 'no' }, 'auth'],
  [{ type: 'permission_error', message: 'no' }, 'auth'],
  [{ type: 'billing_error', message: 'no' }, 'switch'],
  [{ type: 'insufficient_quota', message: 'no' }, 'switch'],
  [{ type: 'not_found_error', message: 'no' }, 'switch'],
  [{ type: 'request_too_large', message: 'no' }, 'context'],
  [{ code: 'context_length_exceeded', message: 'no' }, 'context'],
  [{ type: 'invalid_request_error', message: 'blocked by our content policy' }, 'refused'],
  [{ type: 'invalid_request_error', message: 'bad field' }, 'bad-request'],
  [{ type: 'RESOURCE_EXHAUSTED', code: 429, message: 'You exceeded your current quota, check billing' }, 'busy'],
  [{ type: 'UNAVAILABLE', message: 'The model is overloaded.' }, 'busy'],
  [{ code: 400, message: 'API key not valid.', data: { status: 'INVALID_ARGUMENT' } }, 'auth'],
  [{ code: 403, message: 'Your input was flagged.' }, 'refused'],
  [{ code: 400, message: 'foo is not a valid model ID' }, 'switch'],
  [{ code: 402, message: 'Insufficient credits.' }, 'switch'],
] as const)('%o inside a stream is sorted as %s', (error, kind) => {
  expect(modelError(error, context).kind).toBe(kind)
})

test.each([
  [408, 'retry'],
  [500, 'busy'],
  [503, 'busy'],
  [529, 'busy'],
  [402, 'switch'],
  [403, 'auth'],
  [413, 'context'],
  [422, 'bad-request'],
] as const)('the status %i without a body is sorted as %s', (statusCode, kind) => {
  expect(modelError({ statusCode, message: '' }, context).kind).toBe(kind)
})

test('the sentence repeats no key, no password and no more than a few lines of what the vendor said', () => {
  const message = `bad: correct-horse-battery, sk-live-abcdefgh, Bearer xyz.abc, http://bob:pass@host/ ${'x'.repeat(5000)}`
  const sentence = modelError({ statusCode: 400, message }, context).message
  for (const secret of ['correct-horse', 'sk-live', 'xyz.abc', 'pass@']) expect(sentence).not.toContain(secret)
  expect(sentence.length).toBeLessThan(500)
  const unreachable = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })
  expect(modelError(unreachable, context).message).toBe(
    'lab cannot be reached at lab.test:8080 (ECONNREFUSED). Check that it runs, and providers.lab.baseURL.',
  )
})

const now = Date.parse('2026-03-01T12:00:00Z')

/** Where each vendor says how long to wait. */
const waits: readonly [string, Record<string, string>, string, string, number | undefined][] = [
  ['seconds', { 'retry-after': '1.5' }, '', '', 1500],
  ['milliseconds before seconds', { 'retry-after-ms': '20', 'retry-after': '9' }, '', '', 20],
  ['a date that is over', { 'retry-after': 'Sun, 01 Mar 2026 11:00:00 GMT' }, '', '', 0],
  ['a date', { 'retry-after': 'Sun, 01 Mar 2026 12:01:30 GMT' }, '', '', 90_000],
  [
    'the reset of what is used up, as a date',
    {
      'anthropic-ratelimit-requests-remaining': '7',
      'anthropic-ratelimit-requests-reset': '2026-03-01T12:09:00Z',
      'anthropic-ratelimit-input-tokens-remaining': '0',
      'anthropic-ratelimit-input-tokens-reset': '2026-03-01T12:00:30Z',
    },
    '',
    '',
    30_000,
  ],
  [
    'the later of two resets, in units',
    {
      'x-ratelimit-remaining-requests': '0',
      'x-ratelimit-reset-requests': '1m2.5s',
      'x-ratelimit-remaining-tokens': '0',
      'x-ratelimit-reset-tokens': '250ms',
    },
    '',
    '',
    62_500,
  ],
  [
    'a reset in milliseconds since 1970',
    { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(now + 4000) },
    '',
    '',
    4000,
  ],
  [
    'a reset in seconds since 1970',
    { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(now / 1000 + 4) },
    '',
    '',
    4000,
  ],
  ['a delay of the body', {}, '[[{"@type":"…RetryInfo","retryDelay":"13.5s"}]]', '', 13_500],
  ['seconds of the body', {}, '{"error":{"retry_after": 20,"message":"Slow down."}}', '', 20_000],
  ['milliseconds of the body', {}, '{"retry_after_ms":1500}', '', 1500],
  ['a reset of the body, in seconds', {}, '{"error":{"resets_in_seconds":90}}', '', 90_000],
  ['a reset of the body, as a moment', {}, `{"error":{"resets_at":${now / 1000 + 7}}}`, '', 7000],
  ['a reset of the body, as a date', {}, '{"reset_at":"2026-03-01T12:00:05Z"}', '', 5000],
  ['a field of the body that says nothing', {}, '{"error":{"retry_after":null}}', 'Retry after 3s.', 3000],
  ['a sentence', {}, '', 'Rate limit reached (TPM): Limit 6000. Please try again in 7.66s. Visit us.', 7660],
  ['a sentence with minutes', {}, '', 'Please try again in 6m0s.', 360_000],
  ['a sentence with words', {}, '', 'Please retry after 20 seconds.', 20_000],
  ['nothing', { 'x-ratelimit-remaining-requests': 'many' }, '', 'Slow down.', undefined],
]
test.each(waits)('the time to wait is read from %s', (_name, headers, details, message, ms) => {
  expect(askedWait({ headers, details, body: '', message }, now)).toBe(ms)
  expect(askedWait({ headers, details: '', body: details, message }, now)).toBe(ms)
})

test.each([
  [429, 'usage_limit_reached', 'busy'],
  [429, 'insufficient_quota', 'switch'],
])('a reset beside the message of a %i (%s) is how long the account is left alone', (statusCode, type, kind) => {
  const responseBody = JSON.stringify({ error: { type, message: 'Enough.', resets_in_seconds: 90 } })
  expect(modelError({ statusCode, responseBody }, { ...context, now })).toMatchObject({ kind, retryAfterMs: 90_000 })
})

test('a broker tells in the body of its error what the vendor behind it said in headers', () => {
  const metadata = { headers: { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': String(now + 9000) } }
  const error = { statusCode: 429, data: { error: { code: 429, message: 'Rate limit exceeded', metadata } } }
  expect(modelError(error, { ...context, now })).toMatchObject({ kind: 'busy', retryAfterMs: 9000 })
})

/** What a person reads: the vendor's own words, and one thing to do next. */
const sentences: readonly [string, object, string][] = [
  [
    'a wrong key',
    { statusCode: 401, message: 'invalid x-api-key' },
    'lab did not accept the key of the account "work" (401): invalid x-api-key. Check it in the environment, or in providers.lab.accounts.',
  ],
  [
    'an unknown model',
    { statusCode: 404, message: 'model: m' },
    'lab does not know the model "m", or its address is wrong: model: m. "troupe models" lists what there is; the address is providers.lab.baseURL.',
  ],
  [
    'no tools',
    { statusCode: 400, message: 'registry.test/library/gemma:2b does not support tools' },
    'lab/m takes no tools: registry.test/library/gemma:2b does not support tools. Set providers.lab.toolCalling to { "m": "text" }, or choose another model.',
  ],
  [
    'nobody who takes tools',
    { statusCode: 404, message: 'No endpoints found that support tool use.' },
    'lab/m takes no tools: No endpoints found that support tool use. Set providers.lab.toolCalling to { "m": "text" }, or choose another model.',
  ],
  [
    'too much to read',
    { statusCode: 400, message: 'prompt is too long: 212438 tokens > 200000 maximum' },
    'The conversation is too long for lab/m: prompt is too long: 212438 tokens > 200000 maximum. Go on in a new session, clear this one with "troupe sessions clear", or choose a model that reads more at once.',
  ],
  [
    'a page of a proxy',
    { statusCode: 502, message: 'Bad Gateway', responseBody: '<html><title>502 Bad Gateway</title>' },
    'lab answered with a web page (502): 502 Bad Gateway. Check providers.lab.baseURL, and the proxy in HTTP_PROXY or HTTPS_PROXY.',
  ],
  [
    'an empty purse',
    { statusCode: 402, message: 'Insufficient credits' },
    'The account "work" at lab has no credit or quota left: Insufficient credits. Top it up, or add another in providers.lab.accounts.',
  ],
  [
    'a limit of a proxy',
    {
      statusCode: 429,
      message: 'Too Many Requests',
      responseBody: '<html><title>Slow</title></html>',
      responseHeaders: { 'retry-after': '7' },
    },
    'lab is limiting how many requests it takes: Too Many Requests. It asks us to wait 7 s.',
  ],
  [
    'a limit',
    { statusCode: 429, message: 'Slow down', responseHeaders: { 'retry-after': '7' } },
    'lab is limiting how many requests it takes: Slow down. It asks us to wait 7 s.',
  ],
]
test.each(sentences)('%s is told with the vendor’s words and what to do next', (_name, error, sentence) => {
  expect(modelError(error, { ...context, account: 'work' }).message).toBe(sentence)
})
