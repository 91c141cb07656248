import { join } from 'node:path'
import { statOf } from '../../lib/files/files.ts'
import { readPlain } from '../../lib/files/plain-file.ts'
import type { Core, Project } from '../base/index.ts'
import { memoryFiles, READ_BYTES } from './files.ts'
import { INDEX, isLog, isMemoryPath, MAIN, recentLogs } from './paths.ts'
import { hasMemory, memoryScope, memorySource, type Scope, scopeFolder } from './scopes.ts'

/** A memory file as it goes into a prompt. */
export interface Recalled {
  readonly source: string
  readonly root: string
  readonly path: string
  /** For people: below the project. */
  readonly shown: string
  /** Of the whole file; empty where it is gone. */
  readonly digest: string
  /** Undefined where the file is no longer among those that are loaded. */
  readonly text: string | undefined
  /** All that the file says, as far as files are read. */
  readonly whole: string
}

export interface Recollection {
  readonly files: readonly Recalled[]
  /** There is more than what is loaded. */
  readonly more: boolean
}

export const nothing: Recollection = { files: [], more: false }

/** How much of the room each of these may take when not everything fits. */
const shares = { main: 0.3, log: 0.1, index: 0.1 }
/** Reading so many small files for each turn is no longer cheap. */
const FILES = 100

/**
 * What an agent remembers at the start of a turn: everything, where it is small; else `MEMORY.md` and `index.md` of
 * agent and project and the agent's last two daily logs, each cut to its share.
 */
export function recall(
  core: Pick<Core, 'home' | 'host' | 'clock'>,
  project: Project,
  agent: string,
  { inlineBytes, isKept }: { readonly inlineBytes: number; isKept(path: string): boolean },
): Recollection {
  if (statOf(join(project.path, '.troupe', 'memory')) === undefined || !hasMemory(core, project)) return nothing
  const scopes = [memoryScope(core, project, 'agent', agent), memoryScope(core, project, 'project')]
  const all = scopes.flatMap((scope) =>
    memoryFiles(scope, FILES + 1)
      .filter(({ path }) => !isKept(join(scopeFolder(scope), path)))
      .map(({ path, bytes }) => ({ scope, path, bytes })),
  )
  const small = all.length <= FILES && all.reduce((sum, { bytes }) => sum + bytes, 0) <= inlineBytes
  const chosen = small ? all : chief(scopes, core.clock.now())
  const files = chosen.flatMap(({ scope, path }) => {
    if (isKept(join(scopeFolder(scope), path))) return []
    const file = read(scope, path)
    if (file === undefined) return []
    const room = small ? inlineBytes : Math.floor(inlineBytes * shareOf(path))
    return [{ ...file, text: cutFor(path, file.text, room) }]
  })
  return { files, more: !small && all.length > files.length }
}

/** Files that a session knows but that are not loaded any more: how they are now. */
export function recallKnown(
  core: Pick<Core, 'home' | 'host'>,
  project: Project,
  agent: string,
  sources: readonly string[],
): Recalled[] {
  return sources.flatMap((source) => {
    const [, name, path = ''] = /^(agent|project)\/(.+)$/.exec(source) ?? []
    if (name === undefined) return []
    const scope = memoryScope(core, project, name as 'agent' | 'project', agent)
    if (!isMemoryPath(scope, path)) return []
    const file = hasMemory(core, project) ? read(scope, path) : undefined
    return [{ ...placeOf(scope, path), digest: '', whole: '', ...file, text: undefined }]
  })
}

const chief = ([agent, project]: readonly Scope[], now: number) => [
  { scope: agent!, path: MAIN },
  { scope: project!, path: MAIN },
  ...recentLogs(now).map((path) => ({ scope: agent!, path })),
  { scope: agent!, path: INDEX },
  { scope: project!, path: INDEX },
]

function read(scope: Scope, path: string) {
  const file = readPlain(join(scopeFolder(scope), path), READ_BYTES)
  return file && { ...placeOf(scope, path), digest: file.digest, text: file.text, whole: file.text }
}

const placeOf = (scope: Scope, path: string) => ({
  source: memorySource(scope, path),
  root: scope.root,
  path,
  shown: `${scope.folder}/${path}`,
})

const shareOf = (path: string): number => (path === MAIN ? shares.main : path === INDEX ? shares.index : shares.log)

/** Of a log the end is kept, as it is the newest. */
function cutFor(path: string, text: string, bytes: number): string {
  const whole = Buffer.from(text)
  if (whole.length <= bytes) return text
  const note = `[${whole.length - bytes} more bytes; memory_read and memory_search find them.]`
  const decoder = new TextDecoder()
  return isLog(path)
    ? `${note}\n${decoder.decode(whole.subarray(-bytes)).replace(/^\uFFFD+/, '')}`
    : `${decoder.decode(whole.subarray(0, bytes)).replace(/\uFFFD+$/, '')}\n${note}`
}
