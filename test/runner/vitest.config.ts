import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/** The settings of the real run, for fixtures that are meant to fail. */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: { include: ['test/runner/*.fixture.ts'], globalSetup: ['test/runner/postgres.ts'], pool: 'forks' },
})
