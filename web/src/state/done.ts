import type { Task } from '../../../src/contract/tasks.ts'
import { type Live, type Resource, stale, useLive } from '../live/resource.ts'
import { server } from '../live/server.ts'
import { spaced } from '../live/spaced.ts'

const READ = 20

/** Tasks of no run that ended lately; those of a run are told with it. */
const doneTasks: Resource<readonly Task[]> = {
  key: 'done tasks',
  read: spaced(1000, async () => {
    const ended = (status: Task['status']) =>
      server.snapshot('GET /api/tasks', { query: { project: '*', status, limit: READ } })
    const [finished, failed] = await Promise.all([ended('finished'), ended('failed')])
    const items = [...finished.value.items, ...failed.value.items].filter(({ from }) => from.kind !== 'system')
    return { value: items, seq: finished.seq }
  }),
  interest: { types: ['task.finished', 'task.retried'] },
  fold: () => stale,
}

export const useDoneTasks = (): Live<readonly Task[]> => useLive(doneTasks)
