import { defineConfig } from 'vitest/config'
import Order from './test/runner/order.ts'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['test/soak/**', 'node_modules/**'],
    globalSetup: ['test/runner/postgres.ts', 'test/runner/packed.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    // Most tests wait for processes and sockets: more of them than cores keep the cores busy.
    maxWorkers: 4,
    sequence: { sequencer: Order },
    reporters: ['default'],
  },
})
