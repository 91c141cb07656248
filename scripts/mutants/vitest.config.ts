import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ViteUserConfig } from 'vitest/config'
import type { TestSpecification } from 'vitest/node'
import type { Plan } from './lane.ts'

/** The project's own settings, narrowed to the plan: its files one after the other in its order, and its tests. */
const root = process.cwd()
const plan: Plan = JSON.parse(readFileSync(process.env.MUTANTS_PLAN ?? '', 'utf8'))
const own = (await import(pathToFileURL(join(root, 'vitest.config.ts')).href)) as { default: ViteUserConfig }
/** Each file is run in a process of its own. */
const { projects: _, ...settings } = own.default.test ?? {}

const literally = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')

class InOrder {
  shard(specs: TestSpecification[]): TestSpecification[] {
    return specs
  }
  sort(specs: TestSpecification[]): TestSpecification[] {
    const place = ({ moduleId }: TestSpecification) => plan.files.findIndex((file) => join(root, file) === moduleId)
    return [...specs].sort((a, b) => place(a) - place(b))
  }
}

export default {
  ...own.default,
  cacheDir: plan.cache,
  test: {
    ...settings,
    include: [...plan.files],
    exclude: [],
    maxWorkers: 1,
    bail: plan.bail,
    ...(plan.setup && { setupFiles: [plan.setup] }),
    ...(plan.tests && { testNamePattern: new RegExp(`^(?:${plan.tests.map(literally).join('|')})$`) }),
    ...(plan.testTimeoutMs && { testTimeout: plan.testTimeoutMs }),
    sequence: { sequencer: InOrder },
    reporters: [['json', { outputFile: plan.report }]],
  },
} satisfies ViteUserConfig
