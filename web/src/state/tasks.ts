import { foldTask } from '../../../src/client/fold-task.ts'
import type { Event } from '../../../src/contract/events.ts'
import type { Task } from '../../../src/contract/tasks.ts'
import { type Live, type Resource, stale, useLive } from '../live/resource.ts'
import { server } from '../live/server.ts'
import { spaced } from '../live/spaced.ts'

const PAGE = 200
/** So many tasks at most are held; a filter of the server reaches the older ones. */
const PAGES = 5

export interface TaskFilter {
  readonly project: string
  readonly status?: Task['status'] | undefined
  readonly agent?: string | undefined
  readonly tag?: string | undefined
}

/** Tasks, the newest first. */
const tasks = ({ project, status, agent, tag }: TaskFilter): Resource<readonly Task[]> => ({
  key: `tasks ${[project, status, agent, tag].join(' ')}`,
  read: spaced(500, async () => {
    const query = { project, status, agent, tag, limit: PAGE }
    const first = await server.snapshot('GET /api/tasks', { query })
    const items = [...first.value.items]
    let cursor = first.value.nextCursor
    for (let page = 1; page < PAGES && cursor !== undefined; page += 1) {
      const next = await server.call('GET /api/tasks', { query: { ...query, cursor } })
      items.push(...next.items)
      cursor = next.nextCursor
    }
    return { value: items, seq: first.seq }
  }),
  interest: {},
  fold(known, event) {
    if (event.type === 'task.created' || (status !== undefined && event.type.startsWith('task.'))) return stale
    return withChanged(known, event)
  },
})

export const useTasks = (filter: TaskFilter): Live<readonly Task[]> => useLive(tasks(filter))

/** One task, whole. */
const task = (id: string): Resource<Task> => ({
  key: `task ${id}`,
  read: () => server.snapshot('GET /api/tasks/{id}', { params: { id } }),
  interest: { task: id },
  // Its output is in no event.
  fold: (known, event) =>
    event.type === 'task.finished' || event.type === 'task.retried' ? stale : foldTask(known, event),
})

export const useTask = (id: string): Live<Task> => useLive(task(id))

/** What happened to a task, oldest first. */
const taskEvents = (id: string): Resource<readonly Event[]> => ({
  key: `task events ${id}`,
  async read() {
    const { items, seq } = await server.call('GET /api/events', { query: { task: id, newest: true, limit: 200 } })
    return { value: items, seq }
  },
  interest: { task: id },
  fold: (known, event) => [...known.slice(-500), event],
})

export const useTaskEvents = (id: string): Live<readonly Event[]> => useLive(taskEvents(id))

function withChanged(known: readonly Task[], event: Event): readonly Task[] {
  const at = known.findIndex(({ id }) => id === event.taskId)
  const found = known[at]
  if (found === undefined) return known
  const next = foldTask(found, event)
  return next === found ? known : known.with(at, next)
}

/** The first line of what is to be done; the task of a node begins with the name of the node. */
export function titleOfTask({ input }: Pick<Task, 'input'>): string {
  const [first = ''] = withoutNode(input.prompt).split('\n')
  return first.replace(/^#+ /, '')
}

export const withoutNode = (prompt: string): string => prompt.trim().replace(/^node_\w+\s+/, '')

export const isOpenTask = ({ status }: Task): boolean =>
  status === 'pending' || status === 'processing' || status === 'waiting'

/** A task and how deep it stands under those that are shown. */
export interface Branch {
  readonly task: Task
  readonly depth: number
  readonly children: number
}

/** Each task behind the one that it belongs to, as far as that one is shown; what is folded shows none below it. */
export function asTree(all: readonly Task[], folded: ReadonlySet<string>): readonly Branch[] {
  const ids = new Set(all.map(({ id }) => id as string))
  const under = Map.groupBy(all, ({ parentTaskId }) =>
    parentTaskId !== undefined && ids.has(parentTaskId) ? parentTaskId : '',
  )
  const branch = (id: string, depth: number): readonly Branch[] =>
    (under.get(id as never) ?? []).flatMap((one) => {
      const children = under.get(one.id as never)?.length ?? 0
      return [{ task: one, depth, children }, ...(folded.has(one.id) ? [] : branch(one.id, depth + 1))]
    })
  return branch('', 0)
}

/** In the order of a task's life. The contract's own list would bring its schemas, which the page does not load. */
export const taskStatuses: readonly Task['status'][] = [
  ...(['pending', 'processing', 'waiting', 'finished', 'failed', 'canceled'] as const),
]
