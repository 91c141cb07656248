import { test } from 'vitest'

test('leaves a rejection behind', () => {
  void Promise.reject(new Error('Nobody waited for me.'))
})
