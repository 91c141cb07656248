import { AppError } from '../../contract/errors.ts'
import type { ActionOf, ActionType, TriggerAction } from '../../contract/triggers.ts'
import type { Core } from '../base/index.ts'
import type { Action, Firing, MadeBy, PreparedAct } from './action.ts'
import { sendAction } from './send.ts'
import { skillAction } from './skill.ts'
import { taskAction } from './task.ts'
import { tickAction } from './tick.ts'
import { webhookAction } from './webhook.ts'

/** What a trigger can do, by the type of its action. */
const actions: { readonly [T in ActionType]: Action<ActionOf<T>> } = {
  send: sendAction,
  create_task: taskAction,
  webhook: webhookAction,
  tick: tickAction,
  run_skill: skillAction,
  run_node: comesWith('run_node', 'runs'),
}

export const checkAction = (core: Core, by: MadeBy, action: TriggerAction): Promise<void> =>
  actionOf(action).check(core, by, action)

export const prepareAction = (core: Core, firing: Firing, action: TriggerAction): Promise<PreparedAct> =>
  actionOf(action).prepare(core, firing, action)

const actionOf = ({ type }: TriggerAction): Action => actions[type]

function comesWith<T extends ActionType>(type: T, what: string): Action<ActionOf<T>> {
  const refuse = async (): Promise<never> => {
    throw new AppError('trigger.invalid', `action: "${type}" cannot be used yet; it comes with ${what}.`, {
      hint: 'Use "send" to an agent, with words that say what to do.',
    })
  }
  return { check: refuse, prepare: refuse }
}
