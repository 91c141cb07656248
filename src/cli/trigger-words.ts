import type { GivenAction, HeartbeatGate, When } from '../contract/triggers.ts'
import { usage } from './failure.ts'

/** The options that say when a trigger fires. */
export interface WhenOptions {
  readonly cron?: string
  readonly every?: string
  readonly in?: string
  readonly at?: string
  readonly on?: string
  readonly idle?: string
  readonly for?: string
  readonly zone?: string
  readonly onlyIf?: string
  readonly filter?: string
}

/** The options that say what it does. */
export interface ActionOptions {
  readonly to?: string
  readonly message?: string
  readonly task?: string
  readonly prompt?: string
  readonly skill?: string
  readonly run?: string
  readonly webhook?: string
  readonly private?: boolean
}

const whens = ['cron', 'every', 'in', 'at', 'on', 'idle'] as const

export function whenFrom(options: WhenOptions): When {
  const given = whens.filter((name) => options[name] !== undefined)
  const [name] = given
  if (name === undefined || given.length > 1)
    throw usage(`Say when, by one of ${whens.map((one) => `--${one}`).join(', ')}.`)
  const text = options[name]!
  switch (name) {
    case 'cron':
      return { type: 'scheduled', config: { cron: text, ...(options.zone && { timeZone: options.zone }) } }
    case 'every': {
      const onlyIf = options.onlyIf === undefined ? {} : { onlyIf: gatesIn(options.onlyIf) }
      return { type: 'heartbeat', config: { intervalSeconds: secondsIn('--every', text), ...onlyIf } }
    }
    case 'in':
      return { type: 'delayed', config: { delaySeconds: secondsIn('--in', text) } }
    case 'at':
      return { type: 'at_time', config: { at: text } }
    case 'on':
      return { type: 'on_event', config: { pattern: text, ...(options.filter && { filter: jsonIn(options.filter) }) } }
    case 'idle':
      return { type: 'on_idle', config: { agent: text, idleSeconds: secondsIn('--for', options.for ?? '') } }
  }
}

export function actionFrom(options: ActionOptions): GivenAction {
  const { to, message, task, prompt, skill, run, webhook, private: own } = options
  const given = [to, task, run, webhook].filter((one) => one !== undefined)
  if (given.length !== 1)
    throw usage('Say what to do, by one of --to with --message, --task or --run with --prompt, --webhook.')
  if (run !== undefined) {
    if (prompt === undefined) throw usage('Say what is to be done in the run, with --prompt.')
    return { type: 'run_node', run, task: prompt }
  }
  if (webhook !== undefined) return { type: 'webhook', url: webhook, ...(own && { private: true }) }
  if (to !== undefined) {
    if (message === undefined) throw usage('Say what is sent, with --message.')
    return { type: 'send', to, message }
  }
  if (skill !== undefined)
    return { type: 'run_skill', agent: task!, skill, ...(prompt === undefined ? {} : { arguments: prompt }) }
  if (prompt === undefined) throw usage('Say what the task is, with --prompt or --skill.')
  return { type: 'create_task', agent: task!, input: { prompt } }
}

const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 }

/** "90s", "30m", "2h", "1d"; a number alone is seconds. */
export function secondsIn(option: string, text: string): number {
  const [, count, unit = 's'] = /^(\d+(?:\.\d+)?)([smhd])?$/.exec(text.trim()) ?? []
  if (count === undefined) throw usage(`${option} must be a time such as 90s, 30m, 2h or 1d, not "${text}".`)
  return Number(count) * units[unit]!
}

export function gatesIn(text: string): HeartbeatGate[] {
  const words = text.split(',').map((word) => word.trim())
  if (text === 'always') return []
  const known = words.filter((word): word is HeartbeatGate => ['mail', 'event', 'files'].includes(word))
  if (known.length === words.length) return known
  throw usage(`--only-if must be some of mail, event, files, or "always", not "${text}".`)
}

function jsonIn(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch {}
  throw usage(`--filter must be a JSON object, not "${text}".`)
}
