import type { ActionType, Trigger, TriggerType } from '../../../../src/contract/triggers.ts'

/** One field of the form: where its value goes in the body, and what it is. */
export interface Field {
  readonly path: string
  readonly label: string
  readonly hint?: string
  readonly kind?: 'number' | 'long' | 'list' | 'datetime'
  readonly required?: boolean
}

export const whenFields: Readonly<Record<TriggerType, readonly Field[]>> = {
  scheduled: [
    { path: 'config.cron', label: 'Cron', hint: '0 9 * * MON-FRI', required: true },
    { path: 'config.timeZone', label: 'Time zone', hint: 'Europe/Berlin; UTC unless given' },
  ],
  heartbeat: [
    { path: 'config.intervalSeconds', label: 'Every so many seconds', hint: '1800', kind: 'number', required: true },
    { path: 'config.onlyIf', label: 'Only if new', hint: 'mail, event, files; empty: any of them', kind: 'list' },
  ],
  at_time: [{ path: 'config.at', label: 'At', kind: 'datetime', required: true }],
  delayed: [
    { path: 'config.delaySeconds', label: 'After so many seconds', hint: '600', kind: 'number', required: true },
  ],
  on_event: [{ path: 'config.pattern', label: 'Event', hint: 'task.finished or task.*', required: true }],
  on_idle: [
    { path: 'config.agent', label: 'Agent', required: true },
    { path: 'config.idleSeconds', label: 'Quiet for so many seconds', hint: '1200', kind: 'number', required: true },
  ],
}

export const whenNames: Readonly<Record<TriggerType, string>> = {
  scheduled: 'Again and again, by the clock',
  heartbeat: 'Every so often, if something is new',
  at_time: 'Once, at a time',
  delayed: 'Once, after a while',
  on_event: 'When something happens',
  on_idle: 'When an agent is quiet',
}

type Given = Exclude<ActionType, 'tick'>

const agent: Field = { path: 'action.agent', label: 'Agent', required: true }

export const actionFields: Readonly<Record<Given, readonly Field[]>> = {
  send: [
    { path: 'action.to', label: 'To', hint: 'an agent, or an agent and a handle', required: true },
    { path: 'action.message', label: 'Message', kind: 'long', required: true },
  ],
  create_task: [agent, { path: 'action.input.prompt', label: 'What to do', kind: 'long', required: true }],
  run_skill: [
    agent,
    { path: 'action.skill', label: 'Skill', required: true },
    { path: 'action.arguments', label: 'What follows its name' },
  ],
  run_node: [
    { path: 'action.run', label: 'Run', hint: 'the id of an open run', required: true },
    { path: 'action.task', label: 'What to produce', kind: 'long', required: true },
  ],
  webhook: [{ path: 'action.url', label: 'Address', hint: 'https://…', required: true }],
}

export const actionNames: Readonly<Record<Given, string>> = {
  send: 'Write to an agent',
  create_task: 'Give a task',
  run_skill: 'Do a skill',
  run_node: 'Add a node to a run',
  webhook: 'Call an address',
}

export type GivenActionType = Given

/** Sets one value deep in a body; an empty text is left out. */
export function place(body: Record<string, unknown>, { path, kind }: Field, text: string): void {
  const value = asValue(text.trim(), kind)
  if (value === undefined) return
  const steps = path.split('.')
  const last = steps.pop()!
  let at = body
  for (const step of steps) {
    at[step] ??= {}
    at = at[step] as Record<string, unknown>
  }
  at[last] = value
}

function asValue(text: string, kind: Field['kind']): unknown {
  if (text === '') return undefined
  if (kind === 'number') return Number(text)
  if (kind === 'list') return text.split(/[\s,]+/).filter(Boolean)
  return kind === 'datetime' ? new Date(text).toISOString() : text
}

/** What the field shows of a trigger that is edited. */
export function textAt(trigger: Trigger | undefined, { path, kind }: Field): string {
  let at: unknown = trigger
  for (const step of path.split('.')) at = (at as Record<string, unknown> | undefined)?.[step]
  if (at === undefined || at === null) return ''
  if (Array.isArray(at)) return at.join(', ')
  return kind === 'datetime' ? localMoment(String(at)) : String(at)
}

/** As the field for a date and a time wants it. */
function localMoment(at: string): string {
  const date = new Date(at)
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
