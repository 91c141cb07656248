import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Board, Run } from '../../src/contract/runs.ts'
import { atRest } from './records.ts'
import { boardOf, finishRun, runBecomes } from './runs.ts'
import { hasMail } from './script.ts'
import type { Reply, SeenRequest } from './vendor/reply.ts'
import type { World } from './world.ts'

/** What workers of a run do with files, and what is read of it. */

export const put = (path: string, content: string) => ({ name: 'write_file', input: { path, content } })
export const look = (path: string) => ({ name: 'read_file', input: { path } })
export const bash = (command: string) => ({ name: 'bash', input: { command } })

/** How often a session has answered. */
export const said = ({ messages }: SeenRequest): number => messages.filter(({ role }) => role === 'assistant').length

export const firstText = ({ messages }: SeenRequest): string => messages.find(({ role }) => role === 'user')?.text ?? ''

/** The first node of the worker that made a request. */
export const nodeIn = (request: SeenRequest): string => /node_[0-9a-f]+/.exec(firstText(request))![0]

/** A coordinator makes these nodes, and ends the run when a message speaks of the last. */
export const leads =
  (calls: readonly { name: string; input: unknown }[], last: string) =>
  (request: SeenRequest): Reply => {
    if (said(request) === 0) return { calls: [...calls] }
    return hasMail(request) && request.lastUserText.includes(last)
      ? { calls: [finishRun('Done.')] }
      : { text: 'Noted.' }
  }

/** The board of a run that has finished. */
export async function ended(world: World, run: Pick<Run, 'id'>): Promise<Board> {
  await runBecomes(world, run, 'finished')
  await atRest(world)
  return boardOf(world, run)
}

export const folderOf = (world: World, { id }: Pick<Run, 'id'>): string => join(world.project, '.troupe', 'runs', id)

/** The lines of a log of a run. */
export const lines = (path: string): { seq: string; type?: string; content?: string; role?: string }[] =>
  readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
