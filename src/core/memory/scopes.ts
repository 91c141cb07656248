import { join } from 'node:path'
import { AppError } from '../../contract/errors.ts'
import type { RunId, SessionId } from '../../contract/ids.ts'
import type { MemoryScope, WrittenScope } from '../../contract/memory.ts'
import { realPath } from '../../lib/files/files.ts'
import type { SearchFolder } from '../../store/sections/sections.ts'
import { findSession } from '../../store/sessions.ts'
import { findWorker } from '../../store/workers.ts'
import { type Core, type Project, runFolder, type Touch, workerFolder } from '../base/index.ts'
import { isTrusted } from '../config/index.ts'

/** A folder of memory files and where it hangs. */
export interface Scope {
  readonly name: WrittenScope
  /** Whose it is, where it is an agent's. */
  readonly agent?: string
  /** A folder that is there, as a real path; everything below it is reached without following links. */
  readonly base: string
  /** Below the base. */
  readonly folder: string
  /** The folder with the lock for everything in it, below the base. */
  readonly top: string
  /** What rows about its files are kept under. */
  readonly root: string
  /** Folders in it that are scopes of their own. */
  readonly without: readonly string[]
  /** What its `MEMORY.md` is called. */
  readonly main?: string
}

const PROJECT = '.troupe/memory'
const AGENTS = 'agents'

export function memoryScope(
  core: Pick<Core, 'home' | 'host'>,
  project: Project,
  name: MemoryScope,
  agent?: string,
): Scope {
  if (name === 'user')
    return { name, base: core.home, folder: 'memory', top: 'memory', root: `user:${core.host}`, without: [] }
  const common = { name, base: realPath(project.path), top: PROJECT, root: project.id }
  if (name === 'project') return { ...common, folder: PROJECT, without: [AGENTS] }
  if (agent === undefined)
    throw new AppError('memory.path', 'The scope "agent" needs the name of an agent.', {
      hint: 'Name it as "agent", or use the scope "project" or "user".',
    })
  return { ...common, agent, root: `${project.id}:${agent}`, folder: `${PROJECT}/${AGENTS}/${agent}`, without: [] }
}

/**
 * The memory that a call of a session means. What a worker of a run calls its own is what it keeps in the run's folder,
 * unless the coordinator lets it write to the memory of its agent.
 */
export async function ownScope(
  core: Core,
  project: Project,
  name: MemoryScope,
  by: { readonly agent: string; readonly sessionId: SessionId },
): Promise<Scope> {
  const { worker = null, run_id = null } = (await findSession(core.store.read, by.sessionId)) ?? {}
  if (name === 'agent' && worker !== null && run_id !== null) {
    const row = await findWorker(core.store.read, run_id, worker)
    if (row?.may_write_memory !== 1) return workerScope(project, run_id, worker)
  }
  mustHaveMemory(core, project, name)
  return memoryScope(core, project, name, by.agent)
}

function workerScope(project: Project, runId: RunId, worker: string): Scope {
  const folder = join(runFolder(runId), workerFolder(worker))
  const common = { name: 'worker', main: 'memory.md', without: [] } as const
  return { ...common, base: realPath(project.path), folder, top: folder, root: `${runId}:${worker}` }
}

/** Where in the project a file of memory lies, for rules about files; the person's own lie outside of it. */
export function memoryTouches(
  { scope, path }: { readonly scope: MemoryScope; readonly path: string },
  agent: string | undefined,
  access: Touch['access'],
): Touch[] {
  if (scope === 'user' || (scope === 'agent' && agent === undefined)) return []
  const folder = scope === 'project' ? PROJECT : `${PROJECT}/${AGENTS}/${agent}`
  return [{ path: join(folder, path.normalize('NFC')), access }]
}

export const scopeFolder = ({ base, folder }: Scope): string => join(base, folder)

export const searchFolder = (scope: Scope): SearchFolder => ({ path: scopeFolder(scope), without: scope.without })

/** What people and agents read: `agent/MEMORY.md`, `project/notes.md`. */
export const memorySource = ({ name }: Pick<Scope, 'name'>, path: string): string => `${name}/${path}`

/** A project that the person has not trusted has no memory; where its .troupe is the data folder it has none either. */
export const hasMemory = (core: Pick<Core, 'home'>, project: Project): boolean =>
  isTrusted(core, project) && join(realPath(project.path), '.troupe') !== core.home

export function mustHaveMemory(core: Pick<Core, 'home'>, project: Project, scope: MemoryScope): void {
  if (scope === 'user' || hasMemory(core, project)) return
  throw new AppError(
    'memory.untrusted',
    `The project ${project.path} is not trusted, so its memory is neither read nor written.`,
    {
      hint: 'The person can trust it with "troupe trust".',
    },
  )
}
