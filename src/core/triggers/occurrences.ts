import { Cron } from 'croner'
import { AppError } from '../../contract/errors.ts'
import type { When } from '../../contract/triggers.ts'

/** The moments at which a trigger is due. */
export interface Series {
  /** The first after this moment; undefined when there is none. */
  next(after: number): number | undefined
  /** The last ones up to and with this moment, oldest first, at most so many. */
  last(upTo: number, count: number): number[]
}

/** The series of a trigger that goes by time; undefined for one that waits for something to happen. */
export function seriesOf(when: When, anchor: number): Series | undefined {
  switch (when.type) {
    case 'scheduled':
      return cronSeries(when.config.cron, when.config.timeZone)
    case 'heartbeat':
      return intervals(anchor, when.config.intervalSeconds * 1000)
    case 'delayed':
      return once(anchor + when.config.delaySeconds * 1000)
    case 'at_time':
      return once(Date.parse(when.config.at))
    default:
      return undefined
  }
}

const once = (at: number): Series => ({
  next: (after) => (after < at ? at : undefined),
  last: (upTo) => (at <= upTo ? [at] : []),
})

const intervals = (anchor: number, every: number): Series => ({
  next: (after) => anchor + Math.max(1, Math.floor((after - anchor) / every) + 1) * every,
  last(upTo, count) {
    const newest = Math.floor((upTo - anchor) / every)
    const many = Math.max(0, Math.min(count, newest))
    return Array.from({ length: many }, (_, index) => anchor + (newest - many + 1 + index) * every)
  },
})

const KEPT = 500
const known = new Map<string, Series>()

function cronSeries(cron: string, timeZone = 'UTC'): Series {
  const key = `${timeZone} ${cron}`
  const series = known.get(key) ?? newCronSeries(cron, timeZone)
  if (known.size >= KEPT) known.clear()
  known.set(key, series)
  return series
}

/** What happens when clocks change is the library's: a time that does not exist comes at the change, one that is twice comes once. */
function newCronSeries(cron: string, timezone: string): Series {
  const job = parse(cron, timezone)
  return {
    next: (after) => job.nextRun(new Date(after))?.getTime(),
    last(upTo, count) {
      // The library looks before a whole second.
      const reference = new Date((Math.floor(upTo / 1000) + 1) * 1000)
      return job
        .previousRuns(count, reference)
        .map((run) => run.getTime())
        .filter((at) => at <= upTo)
        .toReversed()
    },
  }
}

function parse(cron: string, timezone: string): Cron {
  try {
    return new Cron(cron, { timezone, mode: '5-or-6-parts', paused: true })
  } catch (error) {
    const why = String((error as Error).message).replace(/^CronPattern: /, '')
    throw new AppError('trigger.invalid', `config.cron: "${cron}" is not a schedule: ${why}`, {
      hint: 'Five or six fields: [second] minute hour day month weekday, such as "0 9 * * MON-FRI".',
    })
  }
}
