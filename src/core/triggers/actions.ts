import type { ActionOf, ActionType, TriggerAction } from '../../contract/triggers.ts'
import type { Core } from '../base/index.ts'
import type { Action, Firing, MadeBy, PreparedAct } from './action.ts'
import { nodeAction } from './node.ts'
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
  run_node: nodeAction,
}

export const checkAction = (core: Core, by: MadeBy, action: TriggerAction): Promise<void> =>
  actionOf(action).check(core, by, action)

export const prepareAction = (core: Core, firing: Firing, action: TriggerAction): Promise<PreparedAct> =>
  actionOf(action).prepare(core, firing, action)

const actionOf = ({ type }: TriggerAction): Action => actions[type]
