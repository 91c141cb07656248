import { chmodSync, existsSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { AppError } from '../../contract/errors.ts'
import { PathError } from '../../lib/files/paths.ts'
import { readPlain } from '../../lib/files/plain-file.ts'
import { filesBelow } from '../../lib/files/sealed.ts'
import { makeFolderInside, writeInside } from '../../lib/files/workspace-files.ts'
import { quote } from '../../lib/shell/quote.ts'
import { findNode, isOpenNode } from '../../store/nodes.ts'
import { findRun } from '../../store/runs.ts'
import { findSession } from '../../store/sessions.ts'
import type { NodeRow, RunRow, SessionRow, WorkerRow } from '../../store/tables.ts'
import { findWorker } from '../../store/workers.ts'
import { type Core, type Project, publishedOf, runFolder, scratchOf, workerFolder } from '../base/index.ts'
import { projectOfSession } from '../sessions/index.ts'

/** The folder of a run on this machine, made where it is missing. A real path. */
export const openRunFolder = (project: Project, run: Pick<RunRow, 'id'>): Promise<string> =>
  inWords(async () => {
    const folder = await makeFolderInside(project.path, runFolder(run.id))
    // What runs leave is no part of the person's repository.
    const ignored = join(dirname(folder), '.gitignore')
    if (!existsSync(ignored)) await writeInside(dirname(folder), '.gitignore', '*\n')
    return folder
  })

/** The files of a run are where its coordinator works. */
export async function isRunHere(core: Core, run: RunRow): Promise<boolean> {
  const coordinator = await findSession(core.store.read, run.session_id)
  return (
    coordinator === undefined || coordinator.host === null || coordinator.host === core.host || coordinator.moves === 1
  )
}

/** Makes what the worker of a node works in, before each of its turns. Returns the node, if it works on one. */
export async function layOutNode(core: Core, session: SessionRow): Promise<NodeRow | undefined> {
  if (session.worker === null || session.run_id === null || session.node_id === null) return undefined
  const [run, node, worker] = [
    await findRun(core.store.read, session.run_id),
    await findNode(core.store.read, session.node_id),
    await findWorker(core.store.read, session.run_id, session.worker),
  ]
  if (run === undefined || node === undefined || worker === undefined || !isOpenNode(node)) return undefined
  const root = await openRunFolder(await projectOfSession(core, session), run)
  await inWords(async () => {
    if (node.publishing_at === null) await openScratch(root, node)
    const own = await makeFolderInside(root, workerFolder(worker.name))
    if (!existsSync(join(own, 'identity.md'))) await writeInside(own, 'identity.md', identityOf(worker))
  })
  return node
}

const NOTES_BYTES = 4000

/** Who a worker is, and what it noted for itself; empty where there is nothing to say. */
export async function aboutWorker(core: Core, run: RunRow, worker: WorkerRow): Promise<string> {
  const coordinator = (await findSession(core.store.read, run.session_id))!
  const { path } = await projectOfSession(core, coordinator)
  const own = join(path, runFolder(run.id), workerFolder(worker.name))
  const memory = readPlain(join(own, 'memory.md'), NOTES_BYTES)?.text.trim() ?? ''
  return [
    ...(worker.identity === null ? [] : [`You are ${worker.name}. ${worker.identity}`]),
    ...(memory === '' ? [] : [`What you noted in ${workerFolder(worker.name)}/memory.md:\n${quote(memory)}`]),
  ].join('\n\n')
}

/** What an attempt had begun to publish is work in progress again when the node is tried once more. */
async function openScratch(root: string, { id }: NodeRow): Promise<void> {
  const [scratch, published] = [join(root, scratchOf(id)), join(root, publishedOf(id))]
  if (!existsSync(scratch) && existsSync(published)) {
    renameSync(published, scratch)
    for (const path of filesBelow(scratch, { files: MOST }).paths) chmodSync(join(scratch, path), 0o644)
  }
  await makeFolderInside(root, scratchOf(id))
}

const MOST = 10_000

const identityOf = ({ name, agent, identity }: WorkerRow): string =>
  `# ${name}\n\nA worker of this run, of the agent ${agent}.\n${identity === null ? '' : `\n${identity}\n`}`

/** Turns a refusal by the path rules into an error for people. */
async function inWords<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof PathError)) throw error
    throw new AppError(error.code, `The folder of the run cannot be used: ${error.message}`, {
      hint: 'Make .troupe/runs an ordinary folder of the project.',
      cause: error,
    })
  }
}
