import { vi } from 'vitest'
import { crashEverywhere } from './crash.ts'
vi.setConfig({ maxConcurrency: 4 })
await crashEverywhere('sqlite', () => {})
