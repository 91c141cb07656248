import { vi } from 'vitest'
import { crashEverywhere } from './crash.ts'
vi.setConfig({ maxConcurrency: 12 })
await crashEverywhere('postgres', () => {})
