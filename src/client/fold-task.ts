import { handleEvent } from '../contract/event-handlers.ts'
import type { Event } from '../contract/events.ts'
import type { Task } from '../contract/tasks.ts'
import { foldSpending } from './fold.ts'

/**
 * A task after one more event of it: what lists show. Its output, how often it was begun after a crash and how many model
 * calls it made are in no event; whoever shows them reads the task again when it has ended.
 */
export function foldTask(task: Task, event: Event): Task {
  const { at } = event
  const ended = (status: Task['status'], spent: Pick<Task, 'costUsd' | 'totalCostUsd' | 'unpricedTokens'>): Task => {
    const { costUsd, totalCostUsd, unpricedTokens } = spent
    return { ...task, status, costUsd, totalCostUsd, unpricedTokens, finishedAt: at, updatedAt: at }
  }
  const next = handleEvent<Task>(
    {
      'task.started': () => ({ ...task, status: 'processing', startedAt: task.startedAt ?? at, updatedAt: at }),
      'task.waiting': () => ({ ...task, status: 'waiting', updatedAt: at }),
      'task.finished': (data) => ended('finished', data),
      'task.failed': (data) => ({ ...ended('failed', data), error: data.reason }),
      'task.canceled': (data) => ({ ...ended('canceled', data), error: data.reason }),
      'task.retried': ({ attempt }) => retried(task, attempt, at),
    },
    event,
  )
  return next ?? (isOpen(task) ? foldSpending(task, event) : task)
}

/** What a session spends after the end of its task is not the task's. */
const isOpen = ({ status }: Task): boolean => ['pending', 'processing', 'waiting'].includes(status)

function retried(task: Task, attempts: number, at: string): Task {
  const { output: _, error: __, startedAt: ___, finishedAt: ____, ...rest } = task
  return { ...rest, status: 'pending', attempts, updatedAt: at }
}
