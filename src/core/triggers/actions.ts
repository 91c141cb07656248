import { AppError } from '../../contract/errors.ts'
import type { ActionOf, ActionType, TriggerAction } from '../../contract/triggers.ts'
import type { Core } from '../base/index.ts'
import type { Act, Action, Firing, MadeBy } from './action.ts'
import { send } from './send.ts'
import { task } from './task.ts'
import { tick } from './tick.ts'
import { webhook } from './webhook.ts'

/** What a trigger can do, by the type of its action. */
const actions: { readonly [T in ActionType]: Action<ActionOf<T>> } = {
  send,
  create_task: task,
  webhook,
  tick,
  run_skill: comesWith('run_skill', 'skills'),
  run_node: comesWith('run_node', 'runs'),
}

export const checkAction = (core: Core, by: MadeBy, action: TriggerAction): Promise<void> =>
  actionOf(action).check(core, by, action)

export const prepareAction = (core: Core, firing: Firing, action: TriggerAction): Promise<Act> =>
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
