import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { ProviderSettings } from '../../src/contract/settings.ts'
import { createDatabase, dropDatabase, putSqlite, type StoreKind } from './database.ts'
import { newFolder, putFile } from './files.ts'
import { startVendor, type Vendor } from './vendor/server.ts'

export interface PlaceOptions {
  store?: StoreKind
  settings?: Record<string, unknown>
  env?: Record<string, string>
  /** Files of the project, by path. */
  files?: Record<string, string>
  /** The name of the project's folder. */
  named?: string
  /** More settings of the provider at the vendor. */
  provider?: Partial<ProviderSettings>
  /** The vendor's protocol. */
  protocol?: 'openai-compatible' | 'anthropic'
  /** The database has no tables yet. */
  empty?: boolean
  /** The address of the PostgreSQL in which its database is, instead of the run's. */
  cluster?: string
  /** Gives the address under which the server reaches its PostgreSQL database. */
  wire?: (url: string) => Promise<string>
  /** How many requests the vendor remembers. */
  keep?: number
}

/** A data folder, a project, a database and a model vendor. They outlive the servers that work on them. */
export interface Place {
  readonly home: string
  readonly project: string
  readonly databaseUrl: string | undefined
  readonly vendor: Vendor
  /** The environment of a server here. */
  readonly env: Record<string, string>
  close(): Promise<void>
}

export async function openPlace(options: PlaceOptions = {}): Promise<Place> {
  const folder = newFolder()
  const home = join(folder, 'home')
  const project = join(folder, options.named ?? 'project')
  const vendor = await startVendor(options.keep === undefined ? {} : { keep: options.keep })
  mkdirSync(join(project, '.troupe'), { recursive: true })
  for (const [path, text] of Object.entries(options.files ?? {})) putFile(join(project, path), text)
  const type = options.protocol ?? 'openai-compatible'
  const provider = { type, baseURL: vendor.baseURL, apiKey: 'test-key', ...options.provider }
  const settings = { providers: { lab: provider }, defaultModel: 'lab/test-model', ...options.settings }
  putFile(join(home, 'settings.json'), settings)
  const { empty = false, cluster } = options
  const databaseUrl =
    options.store === 'postgres' ? await createDatabase({ empty, ...(cluster && { cluster }) }) : undefined
  const reached = databaseUrl && ((await options.wire?.(databaseUrl)) ?? databaseUrl)
  if (databaseUrl === undefined && !empty) await putSqlite(join(home, 'data.db'))
  return {
    home,
    project,
    databaseUrl,
    vendor,
    env: {
      PATH: process.env.PATH ?? '',
      HOME: folder,
      ...options.env,
      ...(reached === undefined ? {} : { TROUPE_DATABASE_URL: reached }),
    },
    async close() {
      await vendor.close()
      if (databaseUrl !== undefined) await dropDatabase(databaseUrl)
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}
