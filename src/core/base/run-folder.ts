import { join } from 'node:path'
import type { NodeId, RunId } from '../../contract/ids.ts'

/** Where the files of runs are, relative to the project. */
export const RUNS = '.troupe/runs'

/** The folder of a run, relative to the project; the paths of its members begin there. */
export const runFolder = (id: RunId): string => `${RUNS}/${id}`

/** Relative to the run's folder. */
export const nodeFolder = (id: NodeId): string => join('nodes', id)
export const scratchOf = (id: NodeId): string => join(nodeFolder(id), 'scratch')
export const publishedOf = (id: NodeId): string => join(nodeFolder(id), 'published')
export const workerFolder = (name: string): string => join('workers', name)
