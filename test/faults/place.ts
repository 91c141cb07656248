import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDatabase, dropDatabase, type StoreKind } from '../kit/database.ts'
import { bin } from '../kit/desk.ts'
import { startVendor, type Vendor } from '../kit/vendor/server.ts'
import { type Launched, launch } from './server.ts'

/** A data folder, a project, a database and a model vendor that outlive the servers which work on them. */
export interface Place {
  readonly store: StoreKind
  readonly home: string
  readonly project: string
  readonly databaseUrl: string | undefined
  readonly vendor: Vendor
  /** Starts a server here; whatever still runs when the test is over is killed. */
  launch(env?: Record<string, string>): Launched
}

export async function inPlace<T>(
  store: StoreKind,
  work: (place: Place) => Promise<T>,
  more: Record<string, unknown> = {},
): Promise<T> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'troupe-faults-')))
  const home = join(folder, 'home')
  const project = join(folder, 'project')
  // Its memory of what it was asked must not grow with a flood.
  const vendor = await startVendor({ keep: 200 })
  const servers = new Set<Launched>()
  mkdirSync(home)
  mkdirSync(join(project, '.troupe'), { recursive: true })
  writeFileSync(join(project, 'a.txt'), 'alpha\n')
  writeFileSync(join(project, 'b.txt'), 'beta\n')
  const settings = {
    providers: { lab: { type: 'openai-compatible', baseURL: vendor.baseURL, apiKey: 'test-key' } },
    defaultModel: 'lab/test-model',
    permissions: { allow: ['bash'] },
    ...more,
  }
  writeFileSync(join(home, 'settings.json'), JSON.stringify(settings))
  const databaseUrl = store === 'postgres' ? await createDatabase() : undefined

  const place: Place = {
    store,
    home,
    project,
    databaseUrl,
    vendor,
    launch(env = {}) {
      const server = launch(bin, project, {
        PATH: process.env.PATH ?? '',
        HOME: folder,
        TROUPE_HOME: home,
        ...(databaseUrl === undefined ? {} : { TROUPE_DATABASE_URL: databaseUrl }),
        ...env,
      })
      servers.add(server)
      void server.exited.finally(() => servers.delete(server))
      return server
    },
  }
  try {
    return await work(place)
  } finally {
    for (const server of servers) server.signal('SIGKILL')
    await Promise.all([...servers].map(({ exited }) => exited))
    await vendor.close()
    if (databaseUrl !== undefined) await dropDatabase(databaseUrl)
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}
