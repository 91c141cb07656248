import type { Daemon, Trigger, TriggerFire, TriggerStatus } from '../../../src/contract/triggers.ts'
import { type Live, type Resource, stale, useLive } from '../live/resource.ts'
import { server } from '../live/server.ts'
import { spaced } from '../live/spaced.ts'
import { clockMinutes, dayOf } from '../parts/figures.tsx'
import { cronInWords } from './cron-words.ts'
import { type Standing, standings } from './standing.ts'

const types = ['trigger.created', 'trigger.changed', 'trigger.fired', 'trigger.missed', 'trigger.skipped'] as const

/** Triggers, the newest first. */
const triggers = (project: string): Resource<readonly Trigger[]> => ({
  key: `triggers ${project}`,
  read: spaced(500, async () => {
    const { value, seq } = await server.snapshot('GET /api/triggers', { query: { project, limit: 200 } })
    return { value: value.items, seq }
  }),
  interest: { types: [...types] },
  fold: () => stale,
})

export const useTriggers = (project = '*'): Live<readonly Trigger[]> => useLive(triggers(project))

/** What became of each time it was due, the newest first. */
const fires = (id: string): Resource<readonly TriggerFire[]> => ({
  key: `fires ${id}`,
  read: spaced(500, async () => {
    const { value, seq } = await server.snapshot('GET /api/triggers/{id}/fires', {
      params: { id },
      query: { project: '*', limit: 100 },
    })
    return { value: value.items, seq }
  }),
  interest: { types: [...types] },
  fold: (known, { data }) => (data.triggerId === id ? stale : known),
})

export const useFires = (id: string): Live<readonly TriggerFire[]> => useLive(fires(id))

/** Agents that work by themselves. */
const daemons = (project: string): Resource<readonly Daemon[]> => ({
  key: `daemons ${project}`,
  read: spaced(500, async () => {
    const { value, seq } = await server.snapshot('GET /api/daemons', { query: { project } })
    return { value: value.items, seq }
  }),
  interest: { types: [...types, 'session.created', 'session.closed'] },
  fold: () => stale,
})

export const useDaemons = (project = '*'): Live<readonly Daemon[]> => useLive(daemons(project))

const ofStatus: Record<TriggerStatus, Standing> = {
  active: { ...standings.idle, word: 'active' },
  paused: standings.paused,
  fired: { ...standings.done, word: 'fired' },
  expired: { ...standings.closed, word: 'expired' },
}

export const standingOfTrigger = ({ status }: Pick<Trigger, 'status'>): Standing => ofStatus[status]

export function standingOfFire({ outcome, delivery }: TriggerFire): Standing {
  if (delivery === 'failed') return standings.failed
  return {
    fired: { ...standings.done, word: 'fired' },
    caught_up: { ...standings.done, word: 'caught up' },
    coalesced: { ...standings.canceled, word: 'skipped' },
    missed: { ...standings.failed, word: 'missed' },
    skipped: { ...standings.canceled, word: 'skipped' },
  }[outcome]
}

/** When it fires, in words. */
export function whenInWords({ type, config }: Pick<Trigger, 'type' | 'config'>): string {
  const given = config as Record<string, unknown>
  switch (type) {
    case 'scheduled':
      return `${cronInWords(String(given.cron))}${given.timeZone ? ` ${given.timeZone}` : ''}`
    case 'delayed':
      return `once, after ${inSeconds(given.delaySeconds)}`
    case 'at_time':
      return `once, ${dayOf(String(given.at))}, ${clockMinutes(String(given.at))}`
    case 'heartbeat': {
      const gates = Array.isArray(given.onlyIf) ? given.onlyIf.join(' or ') : 'mail or event or files'
      return `every ${inSeconds(given.intervalSeconds)}${gates === '' ? '' : `, if new: ${gates}`}`
    }
    case 'on_event':
      return `at ${given.pattern}`
    case 'on_idle':
      return `${given.agent} quiet for ${inSeconds(given.idleSeconds)}`
  }
}

/** As it was written, where it was. */
export const cronOf = ({ type, config }: Pick<Trigger, 'type' | 'config'>): string | undefined =>
  type === 'scheduled' ? String((config as Record<string, unknown>).cron) : undefined

function inSeconds(value: unknown): string {
  const seconds = Number(value)
  if (seconds % 86_400 === 0) return `${seconds / 86_400} d`
  if (seconds % 3600 === 0) return `${seconds / 3600} h`
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`
}

/** What it does, in words. */
export function actionInWords({ action }: Pick<Trigger, 'action'>): string {
  const given = action as Record<string, unknown>
  const first = (text: unknown): string => String(text ?? '').split('\n')[0]!
  switch (given.type) {
    case 'send':
      return `mail to ${given.to ?? given.session ?? 'its owner'}: “${first(given.message)}”`
    case 'create_task':
      return `task for ${given.agent}: “${first((given.input as { prompt?: string } | undefined)?.prompt)}”`
    case 'webhook':
      return `calls ${given.url}`
    case 'run_skill':
      return `${given.agent} does /${given.skill} ${given.arguments ?? ''}`
    case 'run_node':
      return `a node for a run: “${first(given.task)}”`
    default:
      return `a tick of ${given.agent}: ${given.heartbeat}`
  }
}
