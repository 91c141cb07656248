import { AppError } from '../../contract/errors.ts'
import { TaskRequest } from '../../contract/tasks.ts'
import { reachable, speakerOf } from '../../core/mail/index.ts'
import { defineTool } from '../../core/permissions/index.ts'
import { shownHandle } from '../../core/sessions/index.ts'
import { giveTaskAs } from '../../core/tasks/index.ts'

export const taskCreate = defineTool({
  name: 'task_create',
  description:
    'Give tracked work to an agent, with priority, tags and limits. It goes on beside you; a message tells you how it ends.',
  input: TaskRequest,
  capabilities: ['tasks', 'agents'],
  guidance:
    'agent_spawn is for a helper inside your own work; task_create is for work that is followed for itself: it has a priority, tags and limits, and works in the folder of its agent.',
  rare: true,
  parallel: true,
  idempotent: true,
  subjects: ({ agent }) => [{ text: agent }],
  async run(order, context) {
    const by = await speakerOf(context)
    if (!by.mayReach(order.agent)) {
      throw new AppError('address.not_allowed', `You may not give tasks to ${order.agent}.`, {
        hint: await reachable(context.core, by),
      })
    }
    const { task, session } = await giveTaskAs(context.core, context, order)
    return { output: { taskId: task.id, session: await shownHandle(context.core, session), status: task.status } }
  },
})
