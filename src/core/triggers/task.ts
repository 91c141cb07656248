import type { AgentFile } from '../../contract/agents.ts'
import { AppError } from '../../contract/errors.ts'
import type { SessionId } from '../../contract/ids.ts'
import type { ActionOf } from '../../contract/triggers.ts'
import { quote } from '../../lib/shell/quote.ts'
import { handleOf } from '../../store/sessions.ts'
import type { Core } from '../base/index.ts'
import { ownFolder, ownFolderInside } from '../config/index.ts'
import { partyOf } from '../mail/index.ts'
import { makersOf } from '../permissions/index.ts'
import { checkInput, createTask, planTask } from '../tasks/index.ts'
import type { Action, Firing, MadeBy, PreparedAct } from './action.ts'
import { eventWords } from './event-words.ts'

type Task = ActionOf<'create_task'>

/** Gives work to an agent. Nobody waits for it: it is in the list of tasks. */
export const taskAction: Action<Task> = {
  async check(core, by, action) {
    await checkInput(core, await planFor(core, by, action), action.input, maker(by.owner))
  },
  prepare,
}

async function prepare(core: Core, firing: Firing, action: Task): Promise<PreparedAct> {
  const { row, project, chain, from } = firing
  const owner = row.owner_session_id ?? undefined
  const plan = await planFor(core, { project, ...(owner && { owner }) }, action)
  const { input, priority, tags, limits } = action
  await checkInput(core, plan, input, maker(owner))
  const context = [...(input.context === undefined ? [] : [input.context]), ...eventWords(firing).map(quote)].join(
    '\n\n',
  )
  return {
    async run(tx) {
      const made = await createTask(core, tx, plan, {
        input: { ...input, ...(context === '' ? {} : { context }) },
        priority,
        tags,
        limits,
        from,
        chain,
        makers: owner === undefined ? [] : makersOf(row),
        clientId: `fire:${row.id}:${firing.occasion}`,
      })
      if ('refused' in made) return { skip: `Nothing was started: ${made.refused}.` }
      const { task, session } = made
      const handle = await handleOf(tx.db, session.project_id, session.id)
      return { result: { taskId: task.id, session: handle }, sessionId: session.id }
    },
  }
}

const maker = (owner: SessionId | undefined) => (owner === undefined ? 'person' : 'agent')

/** An agent's trigger gives work only to whom the agent could give it itself, in folders of the project. */
async function planFor(core: Core, { project, owner }: MadeBy, { agent, input }: Task) {
  if (owner !== undefined) {
    const party = await partyOf(core, owner)
    await party.judge('task_create', { agent, input })
    if (!party.mayReach(agent)) throw new AppError('address.not_allowed', `You may not give work to ${agent}.`)
  }
  const workspace = (definition: AgentFile): string =>
    owner === undefined ? ownFolder(core, project, definition) : ownFolderInside(core, project, definition, agent)
  return planTask(core, project, { agent, mode: 'task', workspace })
}
