import type { TaskLimits, TaskRequest } from '../../contract/tasks.ts'
import { type Core, onSession } from '../base/index.ts'
import { ownFolderInside } from '../config/index.ts'
import { createTask, planTask, type TaskPlan } from './create.ts'
import { checkInput } from './input.ts'
import { type Giver, givenBy, makersOfChild, type Spawned, unlessRefused } from './spawn.ts'

/** A session gives work as its child and is told how it ends. A tick ends without it, so it stands alone. */
export async function giveTaskAs(core: Core, by: Giver, { agent, ...order }: TaskRequest): Promise<Spawned> {
  checkInput(order.input)
  const plan = await planTask(core, by.project, {
    agent,
    mode: 'task',
    workspace: (definition) => ownFolderInside(core, by.project, definition, agent),
  })
  const made = await onSession(core, by.sessionId, 'task.create', async (tx, session) =>
    createTask(core, tx, plan, {
      ...order,
      ...givenBy(session, by),
      limits: within(order.limits, plan),
      makers: makersOfChild(session, by),
      ...(session.mode === 'daemon' ? {} : { child: true, tells: 'mail' }),
    }),
  )
  return unlessRefused(made)
}

/** An agent may ask for less patience than the settings have, not for more. */
const within = (limits: TaskLimits = {}, { maxWaitMs }: TaskPlan): TaskLimits => ({
  ...limits,
  maxWaitSeconds: Math.min(limits.maxWaitSeconds ?? Number.POSITIVE_INFINITY, maxWaitMs / 1000),
})
