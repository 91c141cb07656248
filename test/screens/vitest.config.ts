import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/** "npm run screens:page": takes the pictures of the page in docs/screens/page anew. It is no part of the tests. */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    include: ['test/screens/*.shots.ts'],
    globalSetup: ['test/runner/packed.ts'],
    testTimeout: 300_000,
    pool: 'forks',
  },
})
