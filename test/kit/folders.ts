import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Core, Project } from '../../src/core/base/core.ts'
import { projectAt } from '../../src/core/config/projects.ts'
import type { Clock } from '../../src/lib/clock.ts'
import { makeFolder, putFile } from './files.ts'

export interface Folders {
  readonly core: {
    readonly home: string
    readonly env: Record<string, string | undefined>
    readonly flags: Record<string, unknown>
    readonly clock: Clock
    readonly runtimes: Core['runtimes']
  }
  readonly project: Project
  /** Writes below the project: text as it is, anything else as JSON. */
  put(path: string, content: unknown): string
  /** The same below home. */
  putHome(path: string, content: unknown): string
}

const nothing = () => Promise.reject(new Error('Nothing is run here.'))

/** A home and a project of their own in a temporary folder, gone after the test. */
export function makeFolders(
  given: { env?: Record<string, string | undefined>; flags?: Record<string, unknown> } = {},
): Folders {
  const root = makeFolder()
  const home = join(root, 'home', '.troupe')
  const project = projectAt(join(root, 'project'))
  mkdirSync(home, { recursive: true })
  mkdirSync(join(project.path, '.troupe'), { recursive: true })
  const clock = { now: () => Date.UTC(2030, 0, 2, 3, 4, 5) }
  return {
    core: { home, env: given.env ?? {}, flags: given.flags ?? {}, clock, runtimes: { model: { step: nothing } } },
    project,
    put: (path, content) => putFile(join(project.path, path), content),
    putHome: (path, content) => putFile(join(home, path), content),
  }
}
