import type { Command } from 'commander'
import type { Presence } from '../../contract/presence.ts'
import { systemClock } from '../../lib/clock.ts'
import { action, type Cli } from '../cli.ts'
import { connect } from '../connect.ts'
import { usage } from '../failure.ts'
import { paint, say, tell } from '../print.ts'
import { secondsIn } from '../trigger-words.ts'

export default function define(command: Command): void {
  command
    .argument('[until]', 'how long (90m, 8h), or when you are back: 18:00, 2026-05-01T09:00')
    .action(action((cli: Cli, until: string | undefined) => away(cli, until)))
}

async function away(cli: Cli, until: string | undefined): Promise<void> {
  const client = await connect(cli)
  const back = until === undefined ? {} : { until: momentIn(until, systemClock.now()) }
  const presence = await client.call('POST /api/presence', { body: { status: 'away', ...back } })
  const { items } = await client.call('GET /api/settings')
  const set = (key: string): unknown => items.find((item) => item.key === key)?.value
  tell(cli, presence, () => {
    sayPresence(presence)
    say(`  questions  ${ofQuestions(String(set('questions.unattended')))} (questions.unattended)`)
    say(`  approvals  ${ofApprovals[String(set('permissions.unattended'))] ?? ''} (permissions.unattended)`)
    const channels = set('channels.away')
    if (Array.isArray(channels) && channels.length > 0) say(`  both are told to ${channels.join(', ')} (channels.away)`)
  })
}

const ofApprovals: Readonly<Record<string, string>> = { wait: 'wait for you', deny: 'are denied', allow: 'are allowed' }

function ofQuestions(unattended: string): string {
  const [, seconds] = unattended.split(':')
  if (seconds !== undefined) return `end after ${seconds} s without an answer`
  return unattended === 'first' ? 'are answered with their first option; without options they wait' : 'wait for you'
}

export function sayPresence({ status, until, pausedSince }: Presence): void {
  const back = until === undefined ? '' : ` until ${new Date(until).toLocaleString()}`
  say(`${paint('green', '✓')} You are ${status === 'away' ? `away${back}` : 'available'}.`)
  if (pausedSince !== undefined) say(`Everything is paused since ${new Date(pausedSince).toLocaleString()}.`)
}

/** Later years have more than four digits. */
const LAST = Date.parse('9999-12-31T23:59:59Z')

/** A length of time, an hour of today or tomorrow, or a moment. */
export function momentIn(text: string, now: number): string {
  const clock = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(text)
  if (clock) {
    const at = new Date(now)
    at.setHours(Number(clock[1]), Number(clock[2]), 0, 0)
    if (at.getTime() <= now) at.setDate(at.getDate() + 1)
    return at.toISOString()
  }
  const isLong = /^\d+(\.\d+)?[a-z]+$/i.test(text)
  const moment = isLong ? now + secondsIn('until', text) * 1000 : Date.parse(text)
  if (moment > LAST) throw usage(`"${text}" is too far off.`, 'Leave it out to be away until you say otherwise.')
  if (Number.isNaN(moment)) throw usage(`"${text}" is no time.`, 'Say how long (8h) or when (18:00, 2026-05-01T09:00).')
  return new Date(moment).toISOString()
}
