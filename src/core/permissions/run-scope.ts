import { join, relative, sep } from 'node:path'
import type { NodeId, RunId } from '../../contract/ids.ts'
import { isInside, listFolder, realPath, statOf } from '../../lib/files/files.ts'
import {
  nodeFolder,
  publishedOf,
  RUNS,
  type RunPlace,
  runFolder,
  scratchOf,
  type Touch,
  workerFolder,
} from '../base/index.ts'

interface Member {
  readonly runId: RunId
  readonly worker: string | null
  readonly node: NodeId | undefined
}

export function runScope(projectPath: string, { runId, worker, node }: Member): RunPlace {
  const root = realPath(join(projectPath, runFolder(runId)))
  const own = worker === null ? undefined : join(root, node === undefined ? workerFolder(worker) : scratchOf(node))
  return { runs: realPath(join(projectPath, RUNS)), root, worker: worker ?? undefined, node, folder: own }
}

/** Names that mean files of the run; in the project they are reached with `./` before them. */
export const isRunPath = (path: string): boolean => /^(nodes|workers)(\/|$)|^_[\w-]+\.(md|json|jsonl)$/.test(path)

/** Where a member may do this, as the folder that it must not leave; or why not. Undefined for what is no run's. */
export function inRun(
  scope: RunPlace,
  real: string,
  access: Touch['access'],
): { readonly area: string } | { readonly refuse: string } | undefined {
  if (!isInside(real, scope.runs)) return undefined
  const area = isInside(real, scope.root) ? areaOf(scope, relative(scope.root, real).split(sep), access) : undefined
  if (area !== undefined) return { area: join(scope.root, area) }
  const shown = relative(isInside(real, scope.root) ? scope.root : scope.runs, real) || 'the folder of all runs'
  return { refuse: `Not permitted: you may not ${access} ${shown}. ${allowed(scope)}` }
}

function areaOf(
  scope: RunPlace,
  [top = '', name, part]: readonly string[],
  access: Touch['access'],
): string | undefined {
  const reads = access === 'read'
  if (top === 'nodes') {
    if (name === undefined || part === undefined) return reads ? '.' : undefined
    if (part === 'scratch') return name === scope.node ? scratchOf(name) : undefined
    if (part === 'published') return reads ? publishedOf(name) : undefined
    // It has the beginnings of what the worker writes and reads.
    if (part === 'log.jsonl' && scope.worker !== undefined && name !== scope.node) return undefined
    return reads ? join(top, name) : undefined
  }
  if (top === 'workers') {
    if (name === undefined) return reads ? '.' : undefined
    return name === scope.worker ? workerFolder(name) : undefined
  }
  const isWritten = top !== '' && top !== '_messages.jsonl' && name === undefined
  return reads || (scope.worker === undefined && isWritten) ? '.' : undefined
}

const allowed = ({ worker, node }: RunPlace): string => {
  const reads = 'In the folder of the run you may read _goal.md, _plan.md and what nodes have in published/'
  if (worker === undefined) return `${reads}, and write files beside _plan.md whose names begin with "_".`
  const own = [...(node === undefined ? [] : [scratchOf(node)]), workerFolder(worker)]
  return `${reads}, and read and write ${own.join(' and ')}.`
}

/** What a search must not look into: other workers' folders, work in progress of others, other runs. */
export function hiddenInRun({ runs, root, worker, node }: RunPlace): string[] {
  const below = (folder: string): string[] => listFolder(folder).map(({ name }) => join(folder, name))
  return [
    ...below(runs).filter((path) => path !== root),
    ...below(join(root, 'workers')).filter((path) => worker === undefined || path !== join(root, workerFolder(worker))),
    ...below(join(root, 'nodes'))
      .filter((path) => node === undefined || path !== join(root, nodeFolder(node)))
      .flatMap((path) => [join(path, 'scratch'), ...(worker === undefined ? [] : [join(path, 'log.jsonl')])]),
  ]
}

/** What a command sees of the folder of all runs, which is hidden otherwise. */
export function shownOfRun({ root, worker, node }: RunPlace): {
  readonly readable: string[]
  readonly writable: string[]
} {
  const shared = listFolder(root).flatMap(({ name, folder }) => (folder ? [] : [join(root, name)]))
  const published = listFolder(join(root, 'nodes')).map(({ name }) => join(root, publishedOf(name)))
  const own = worker === undefined ? [] : [join(root, workerFolder(worker))]
  return {
    readable: [...shared, ...published].filter((path) => statOf(path) !== undefined),
    writable: [...own, ...(node === undefined ? [] : [join(root, scratchOf(node))])].filter(
      (path) => statOf(path) !== undefined,
    ),
  }
}
