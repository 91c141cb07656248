import { expect, test } from 'vitest'
import { modelError } from './failure.ts'

const context = {
  provider: 'lab',
  model: 'm',
  account: 'default',
  baseURL: undefined,
  secrets: ['sesame', 'open'],
  maxOutputTokens: undefined,
  now: 0,
}
const sort = (statusCode: number, message: string) => modelError({ statusCode, message }, context)

test('a vendor’s own failure is tried again, whatever words it uses', () => {
  expect(sort(500, 'The prompt is too long').kind).toBe('busy')
  expect(sort(499, 'The prompt is too long').kind).toBe('context')
  expect(sort(500, 'insufficient quota').kind).toBe('busy')
  expect(sort(499, 'insufficient quota').kind).toBe('switch')
  expect(sort(500, 'safety').kind).toBe('busy')
})

test('a limit and an overload are the account’s, another failure of the vendor is not', () => {
  expect(sort(429, 'slow down').limits).toBe('limited')
  expect(sort(529, '').limits).toBe('limited')
  expect(sort(500, 'We are overloaded').limits).toBe('limited')
  expect(sort(500, 'oops').limits).toBeUndefined()
  expect(sort(402, '').limits).toBe('exhausted')
  expect(sort(401, '').limits).toBe('exhausted')
})

test('another address is for the person to correct, and nothing to try again', () => {
  for (const status of [300, 301, 399]) {
    expect(sort(status, ''), `${status}`).toMatchObject({
      kind: 'bad-request',
      message: expect.stringContaining('baseURL'),
    })
  }
  expect(sort(299, '').kind).toBe('retry')
  expect(sort(400, '')).toMatchObject({ kind: 'bad-request', message: expect.stringContaining('refused') })
})

test('a secret of six characters is hidden, a shorter one is an ordinary word', () => {
  expect(sort(400, 'open sesame').message).toMatch(/^lab refused the request \(400\): open \[secret\]\. Change/)
})
