import { test } from 'vitest'
import { breakEveryColumn } from './bad-rows.ts'

test(
  'a value that its column cannot mean, on sqlite, is told with its place, and stops neither its session nor the others',
  {
    timeout: 300_000,
  },
  () => breakEveryColumn('sqlite'),
)
