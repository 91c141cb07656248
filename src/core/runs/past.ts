import { AppError } from '../../contract/errors.ts'
import { boardAtStart, boardEvents, foldBoard } from '../../contract/fold-board.ts'
import type { RunId } from '../../contract/ids.ts'
import type { Board } from '../../contract/runs.ts'
import type { Core } from '../base/index.ts'
import { getRun } from './views.ts'

const PAGE = 1000

/** The board as it was at an event: what its rows were then is told by the events until then. */
export async function boardAt(core: Core, id: RunId, at: string | undefined): Promise<Board> {
  const run = await getRun(core.store.read, id)
  const types = ['run.created', ...boardEvents]
  const until = at ?? (await core.store.latestSeq())
  let board = boardAtStart(run)
  let after: string | undefined
  for (;;) {
    const page = await core.store.readEvents({ runId: id, types, until, limit: PAGE, after })
    if (after === undefined && page.items[0]?.type !== 'run.created') throw await notThen(core, id)
    for (const event of page.items) board = foldBoard(board, event)
    if (!page.full) return board
    after = page.seq
  }
}

async function notThen(core: Core, id: RunId): Promise<AppError> {
  const [first] = (await core.store.readEvents({ runId: id, types: ['run.created'], limit: 1 })).items
  return first === undefined
    ? new AppError('events.expired', `The first events of ${id} are no longer kept, so its past cannot be told.`, {
        hint: 'Its board as it is now is there; the events are in the archive folder of the home.',
      })
    : new AppError('run.not_found', `The run ${id} was not there yet at that event.`, {
        hint: `It began at "${first.seq}".`,
      })
}
