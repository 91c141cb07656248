import { expect, test } from 'vitest'
import { FetchRefused } from '../../lib/net/guarded-target.ts'
import { isUnsent } from './failures.ts'

const failed = (code: string) => new FetchRefused('x', { cause: Object.assign(new Error('x'), { code }) })

test('a call was not sent only where nobody listened or the address was refused; a connection that broke may have carried it', () => {
  expect(isUnsent(failed('ECONNREFUSED'))).toBe(true)
  expect(isUnsent(new FetchRefused('x', { address: '10.0.0.1' }))).toBe(true)
  for (const error of [failed('ECONNRESET'), failed('ETIMEDOUT'), new FetchRefused('x'), new Error('x')])
    expect(isUnsent(error)).toBe(false)
})
