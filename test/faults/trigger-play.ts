import type { Trigger } from '../../src/contract/triggers.ts'
import { eventually } from '../kit/processes.ts'
import type { Client } from './client.ts'
import type { Play } from './crash.ts'
import type { Life } from './life.ts'
import type { FaultPlace } from './place.ts'
import { type Rows, rest } from './rows.ts'

/** The boundaries of a fire, each of which the play of this file comes by. */
export const fireBoundaries = [
  'trigger.create',
  'trigger.change',
  'trigger.fire',
  'trigger.event',
  'trigger.now',
] as const

interface Fired {
  readonly number: number
  readonly ids: { readonly once: string; readonly often: string; readonly event: string }
}

const SECONDS = 90
const BEATS = 3

/**
 * A trigger for one moment, one for each second and one for an event; the last is fired by hand as well. Each message
 * begins a session of its own, so that one too many is seen.
 */
async function play(place: FaultPlace, life: Life, client: Client, number: number): Promise<Fired> {
  const word = `fire#${number}#`
  place.vendor.script(() => ({ text: 'Done.' }), { word })
  const send = (what: string) => ({ type: 'send', to: 'researcher', session: 'create', message: `${what} ${word}` })
  const make = async (name: string, body: Record<string, unknown>): Promise<string> => {
    const wanted = { ...body, action: send(name), clientId: `${name} ${number}` }
    return (await client.request<Trigger>('POST', '/api/triggers', wanted)).body.id
  }
  const event = await make('event', {
    type: 'on_event',
    config: { pattern: 'session.created', filter: { title: `mark ${number}` } },
  })
  const once = await make('once', { type: 'delayed', config: { delaySeconds: 0.2 } })
  const every = { type: 'scheduled', config: { cron: '* * * * * *' } }
  const often = await make('often', { ...every, catchUp: 'all', maxFires: BEATS })
  await client.request('POST', '/api/sessions', { agent: 'coder', title: `mark ${number}`, clientId: `mark ${number}` })
  await client.request('POST', `/api/triggers/${event}/fire`, { clientId: `hand ${number}` })
  const reached = async (id: string, fits: (trigger: Trigger) => boolean): Promise<void> => {
    const look = async () => fits((await client.request<Trigger>('GET', `/api/triggers/${id}`)).body) || undefined
    await Promise.race([life.broken, eventually(look, SECONDS, 100)])
  }
  await reached(once, ({ status }) => status === 'fired')
  await reached(often, ({ status }) => status === 'expired')
  await reached(event, ({ fires }) => fires === 2)
  await client.request('PATCH', `/api/triggers/${event}`, { status: 'paused' })
  await rest(place, life, SECONDS)
  return { number, ids: { once, often, event } }
}

/** Each occurrence has one outcome and one effect. */
function verdict({ ids }: Fired, _: unknown, rows: Rows): string[] {
  const found: string[] = []
  for (const [name, id] of Object.entries(ids)) {
    const [trigger, ...twins] = rows.triggers.filter((row) => row.id === id)
    if (trigger === undefined || twins.length > 0)
      found.push(`${name} is there ${twins.length + (trigger ? 1 : 0)} times`)
    const ledger = rows.trigger_fires.filter((row) => row.trigger_id === id)
    const acted = ledger.filter(({ outcome }) => outcome === 'fired' || outcome === 'caught_up')
    const wanted = { once: 1, often: BEATS, event: 2 }[name]
    if (acted.length !== wanted || trigger?.fires !== wanted)
      found.push(`${name} acted ${acted.length} times by its outcomes and ${trigger?.fires} by its row, not ${wanted}`)
    if (new Set(ledger.map(({ occasion }) => occasion)).size !== ledger.length)
      found.push(`${name} has an outcome twice`)
    for (const { occasion } of acted) {
      const mail = rows.mail.filter(({ client_id }) => client_id === `fire:${id}:${occasion}`)
      const read = rows.messages.filter(({ mail_id }) => mail_id === mail[0]?.id)
      if (mail.length !== 1 || read.length !== 1)
        found.push(`${name} ${occasion} sent ${mail.length} mails, of which ${read.length} messages were read`)
    }
  }
  return found
}

export const firing: Play<Fired> = { run: play, verdict }
