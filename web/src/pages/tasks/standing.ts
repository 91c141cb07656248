import type { Task } from '../../../../src/contract/tasks.ts'
import { type Standing, standingOfTask, standings } from '../../state/standing.ts'

/** A task whose session waits for the person asks them. */
export const standingOfTaskFor = (task: Task, asking: ReadonlySet<string>): Standing =>
  (task.status === 'waiting' || task.status === 'processing') && asking.has(task.sessionId)
    ? standings.asks
    : standingOfTask(task)
