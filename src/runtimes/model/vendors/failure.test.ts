import { expect, test } from 'vitest'
import { modelError } from './failure.ts'
import { retryAfter } from './fault.ts'

const context = {
  provider: 'lab',
  model: 'm',
  baseURL: 'http://ann:hunter22@lab.test:8080/v1',
  secrets: ['correct-horse-battery'],
  now: 0,
}

test.each([
  [{ type: 'overloaded_error', message: 'Overloaded' }, 'retry'],
  [{ type: 'server_error', message: 'oops' }, 'retry'],
  [{ code: 'rate_limit_exceeded', message: 'slow down' }, 'retry'],
  [{ code: 502, message: 'Upstream gone' }, 'retry'],
  [{ code: '429', message: 'slow down' }, 'retry'],
  [{ type: 'timeout_error', message: 'too slow' }, 'retry'],
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
  [{ type: 'RESOURCE_EXHAUSTED', code: 429, message: 'You exceeded your current quota, check billing' }, 'retry'],
  [{ type: 'UNAVAILABLE', message: 'The model is overloaded.' }, 'retry'],
  [{ code: 400, message: 'API key not valid.', data: { status: 'INVALID_ARGUMENT' } }, 'auth'],
  [{ code: 403, message: 'Your input was flagged.' }, 'refused'],
  [{ code: 400, message: 'foo is not a valid model ID' }, 'switch'],
  [{ code: 402, message: 'Insufficient credits.' }, 'switch'],
] as const)('%o inside a stream is sorted as %s', (error, kind) => {
  expect(modelError(error, context).kind).toBe(kind)
})

test.each([
  [408, 'retry'],
  [500, 'retry'],
  [503, 'retry'],
  [529, 'retry'],
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
  expect(sentence.length).toBeLessThan(400)
  const unreachable = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })
  expect(modelError(unreachable, context).message).toBe('lab cannot be reached at lab.test:8080 (ECONNREFUSED).')
})

test('the time to wait is read from seconds, milliseconds or a date, never below nothing', () => {
  const now = Date.parse('2026-03-01T12:00:00Z')
  expect(retryAfter({ 'retry-after': '1.5' }, now)).toBe(1500)
  expect(retryAfter({ 'retry-after-ms': '20', 'retry-after': '9' }, now)).toBe(20)
  expect(retryAfter({ 'retry-after': 'Sun, 01 Mar 2026 11:00:00 GMT' }, now)).toBe(0)
  expect(retryAfter({}, now)).toBeUndefined()
})
