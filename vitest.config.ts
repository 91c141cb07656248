import { defineConfig } from 'vitest/config'
import Order from './test/runner/order.ts'

const settings = { testTimeout: 60_000, hookTimeout: 60_000, pool: 'forks' } as const

/** Files whose tests start processes, break things, or read what their own process keeps in mind. */
const apart = [
  'test/{faults,e2e,runner,structure}/**/*.test.ts',
  'test/*.test.ts',
  'src/lib/process/*.test.ts',
  'test/scenarios/{definitions,unreadable*}.test.ts',
]

/** A browser alone takes two cores: beside other tests a page is slower than people would wait. */
const pages = ['test/e2e/page-*.test.ts']

export default defineConfig({
  test: {
    ...settings,
    globalSetup: ['test/runner/postgres.ts', 'test/runner/packed.ts'],
    // Most tests wait for processes and sockets: more of them than cores keep the cores busy.
    maxWorkers: 4,
    sequence: { sequencer: Order },
    reporters: ['default'],
    projects: [
      { test: { ...settings, name: 'apart', include: apart, exclude: [...pages, 'node_modules/**'] } },
      {
        test: {
          ...settings,
          name: 'pages',
          include: pages,
          testTimeout: 150_000,
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...settings,
          name: 'together',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: [...apart, 'test/soak/**', 'node_modules/**'],
          // The program is loaded once for many files, which takes a third of the work away.
          isolate: false,
        },
      },
    ],
  },
})
