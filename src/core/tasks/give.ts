import { AppError } from '../../contract/errors.ts'
import type { CreateTask, TaskRequest } from '../../contract/tasks.ts'
import { type Core, onSession, type Project, transact } from '../base/index.ts'
import { folderInside, ownFolder, ownFolderInside } from '../config/index.ts'
import { newChainId } from '../mail/index.ts'
import { makersOf, reaches } from '../permissions/index.ts'
import { createTask, planTask } from './create.ts'
import { checkInput } from './input.ts'
import { type Giver, givenBy, makersOfChild, type Spawned, unlessRefused } from './spawn.ts'

/** A person gives work. It belongs to nobody else, so it goes on until it is done or a person stops it. */
export async function giveTask(core: Core, project: Project, body: CreateTask): Promise<Spawned> {
  const { agent, workspace, unattended, ...order } = body
  const plan = await planTask(core, project, {
    agent,
    mode: 'task',
    workspace: (definition) =>
      workspace === undefined ? ownFolder(core, project, definition) : folderInside(core, project, workspace),
  })
  await checkInput(core, plan, body.input, 'person')
  const chain = { id: newChainId(unattended), hops: 0 }
  const made = await transact(core, 'task.create', (tx) =>
    createTask(core, tx, plan, { ...order, from: { kind: 'human' }, chain }),
  )
  return unlessRefused(made)
}

/** A session gives work as its child and is told how it ends. A tick ends without it, so it stands alone. */
export async function giveTaskAs(core: Core, by: Giver, { agent, ...order }: TaskRequest): Promise<Spawned> {
  const plan = await planTask(core, by.project, {
    agent,
    mode: 'task',
    workspace: (definition) => ownFolderInside(core, by.project, definition, agent),
  })
  await checkInput(core, plan, order.input, 'agent')
  const made = await onSession(core, by.sessionId, 'task.create', async (tx, session) => {
    if (!reaches(by.definition, makersOf(session), plan.agent)) throw notReached(plan.agent)
    return createTask(core, tx, plan, {
      ...order,
      ...givenBy(session, by),
      makers: makersOfChild(session, by),
      ...(session.mode === 'daemon' ? {} : { child: true, tells: 'mail' }),
    })
  })
  return unlessRefused(made)
}

const notReached = (agent: string): AppError =>
  new AppError('address.not_allowed', `You may not give tasks to ${agent}.`, {
    hint: 'agent_list shows whom you may reach.',
  })
