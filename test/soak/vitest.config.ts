import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/** The big figures: one file after another, each as long as its own bounds allow. */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    // The rules that `npm test` plays on one store only are played on both here.
    include: [
      'test/{soak,scenarios,security}/**/*.test.ts',
      'test/faults/{channels,compaction,crash,hooks,poison,runs,shutdown,triggers,webhooks}.test.ts',
    ],
    globalSetup: ['test/runner/postgres.ts', 'test/runner/packed.ts'],
    testTimeout: 24 * 3_600_000,
    hookTimeout: 60_000,
    pool: 'forks',
    fileParallelism: false,
    env: { TROUPE_TEST_STORES: 'both' },
  },
})
