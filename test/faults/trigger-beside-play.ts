import { join } from 'node:path'
import type { Daemon, Trigger } from '../../src/contract/triggers.ts'
import { stampFolder } from '../../src/lib/files/stamp.ts'
import { putFile } from '../kit/files.ts'
import { eventually } from '../kit/processes.ts'
import type { Reply, SeenMessage } from '../kit/vendor/server.ts'
import type { Client } from './client.ts'
import type { Play } from './crash.ts'
import type { Life } from './life.ts'
import type { FaultPlace } from './place.ts'
import { changeRows, type Rows, readRows, rest } from './rows.ts'

/** What happens to triggers beside a fire, each of which the play of this file comes by. */
export const besideBoundaries = [
  'trigger.anew',
  'trigger.cancel',
  'trigger.cursor',
  'trigger.delete',
  'trigger.drop',
  'trigger.seen',
  'trigger.settled',
  'trigger.stop',
] as const

const SECONDS = 90
/** More events than a trigger looks at in one piece. */
const MANY = 110

interface Beside {
  readonly ids: { readonly deleted: string; readonly unreadable: string; readonly off: string; readonly lost: string }
  readonly far: string
  readonly asked: string
  readonly ticks: number
  /** The files of the daemon as they are, and as its trigger has seen them. */
  readonly files: readonly [string, string]
}

/**
 * One trigger is deleted, one canceled by its agent, one cannot be read, one was paused behind the back of its timer; one
 * lost its place among the events, one is far behind; and a daemon makes one tick, in which it writes a file.
 */
async function play(place: FaultPlace, life: Life, client: Client, number: number): Promise<Beside> {
  const word = `beside#${number}#`
  place.vendor.script(({ messages }) => agentSays(messages), { word })
  if (number === 0) {
    place.vendor.script(({ messages }) => tickSays(messages), { word: 'Water the plants' })
    place.vendor.script(() => ({ text: 'Heard.' }), { word: 'Ding' })
  }
  const send = { type: 'send', to: 'researcher', message: 'Ding' }
  const make = async (name: string, when: Record<string, unknown>, clientId = `${name} ${number}`): Promise<string> =>
    (await client.request<Trigger>('POST', '/api/triggers', { ...when, action: send, clientId })).body.id
  const until = (look: () => Promise<boolean>) =>
    Promise.race([life.broken, eventually(async () => (await look()) || undefined, SECONDS, 50)])
  const later = { type: 'delayed', config: { delaySeconds: 3600 } }
  const never = { type: 'on_event', config: { pattern: 'session.*', filter: { title: 'never' } } }

  // Far behind is where the first performance began.
  const first = await make('first', never, 'first')
  await client.request('PATCH', `/api/triggers/${first}`, { status: 'paused' })
  const asked = await client.open(`beside ${number}`)
  const title = (at: number) => client.request('PATCH', `/api/sessions/${asked}`, { title: `${number} ${at}` })
  if (number === 0) for (let at = 0; at < MANY; at += 1) await title(at)

  const ids = {
    deleted: await make('deleted', later),
    unreadable: await make('unreadable', later),
    off: await make('off', later),
    lost: await make('lost', never),
  }
  const far = await make('far', never)
  await client.request('DELETE', `/api/triggers/${ids.deleted}`)
  await changeRows(
    place,
    `update triggers set config = '?' where id = '${ids.unreadable}';
     update triggers set status = 'paused' where id = '${ids.off}';
     update triggers set event_cursor = '?' where id = '${ids.lost}';
     update triggers set event_cursor = (select event_cursor from triggers where id = '${first}') where id = '${far}';
     update timers set due_at = 0 where ref in ('${ids.unreadable}', '${ids.off}')`,
  )
  // An event and a timer have the server look.
  await title(MANY)
  await make('bell', { type: 'delayed', config: { delaySeconds: 0.1 } })
  const { mailId } = await client.send(asked, `mail ${number}`, `Work ${word}`)
  await client.settled(mailId)

  const folder = join(place.home, 'agents', 'gardener')
  putFile(join(folder, 'agent.json'), { model: 'lab/test-model' })
  putFile(join(folder, 'heartbeats', 'garden.md'), 'Water the plants')
  const path = '/api/daemons/gardener'
  const daemon = (await client.request<Daemon>('POST', `${path}/start`, { intervalSeconds: 3600 })).body.trigger.id
  await client.request('POST', `/api/triggers/${daemon}/fire`, { clientId: `tick ${number}` })
  await client.request('POST', `${path}/stop`)

  const rows = async () => Object.fromEntries((await readRows(place)).triggers.map((row) => [row.id, row]))
  await until(async () => {
    const now = await rows()
    const moved = now[ids.lost]?.event_cursor !== '?' && now[far]?.event_cursor !== now[first]?.event_cursor
    return moved && now[ids.unreadable]?.status === 'paused'
  })
  for (const id of [ids.lost, far]) await client.request('PATCH', `/api/triggers/${id}`, { status: 'paused' })
  await rest(place, life, SECONDS)
  // Only a server that lives answers: the last commit may have been its end.
  await client.request('GET', `/api/triggers/${daemon}`)
  const { sessions, triggers } = await readRows(place)
  const ticks = sessions.filter(({ mode }) => mode === 'daemon')
  const seen = JSON.parse(triggers.find(({ id }) => id === daemon)!.seen).files
  return { ids, far, asked, ticks: ticks.length - number, files: [await stampFolder(ticks[0]!.workspace), seen] }
}

function agentSays(messages: readonly SeenMessage[]): Reply {
  const said = messages.filter(({ role }) => role === 'assistant').length
  const made = messages.flatMap(({ results }) => results.flatMap(({ text }) => /trigger_\w+/.exec(text)?.[0] ?? []))
  const wake = { type: 'delayed', config: { delaySeconds: 3600 }, action: { type: 'send', message: 'Never.' } }
  if (said === 0) return { calls: [{ name: 'schedule', input: wake }] }
  return said === 1 ? { calls: [{ name: 'cancel_trigger', input: { triggerId: made[0] } }] } : { text: 'Canceled.' }
}

const tickSays = (messages: readonly SeenMessage[]): Reply =>
  messages.some(({ role }) => role === 'assistant')
    ? { text: 'Watered.' }
    : { calls: [{ name: 'bash', input: { command: 'echo wet >> plants.txt' } }] }

/** Each came to its end once, nobody was written to, and the person was told of what cannot go on. */
function verdict({ ids, far, asked, ticks, files }: Beside, _: unknown, rows: Rows): string[] {
  const found: string[] = []
  const at = (id: string) => rows.triggers.find((row) => row.id === id)
  const firesOf = (id: string) => rows.trigger_fires.filter((row) => row.trigger_id === id)
  if (at(ids.deleted) !== undefined) found.push('what was deleted is there')
  const own = rows.triggers.filter(({ owner_session_id }) => owner_session_id === asked)
  const reasons = own.map(({ status, reason }) => `${status}: ${reason}`).join()
  if (reasons !== 'expired: Canceled by its maker.') found.push(`what the agent set up: ${reasons}`)
  if (at(ids.unreadable)?.status !== 'paused') found.push('what cannot be read goes on')
  const told = rows.inbox.filter(({ id }) => id.startsWith(`inbox_${ids.unreadable}`)).length
  if (told !== 1) found.push(`the person was told ${told} times of what cannot be read`)
  const gaps = firesOf(ids.lost).map(({ outcome, reason }) => `${outcome}: ${reason?.split(':')[0]}`)
  if (gaps.join() !== 'skipped: Events were missed') found.push(`of what lost its place: ${gaps.join(' | ')}`)
  for (const id of [ids.unreadable, ids.off, far]) if (firesOf(id).length > 0) found.push(`${id} has an outcome`)
  if (ticks !== 1) found.push(`${ticks} ticks`)
  if (files[0] !== files[1]) found.push('what the tick wrote would be news to the next')
  return found
}

const settings = { permissions: { allow: ['bash', 'schedule', 'cancel_trigger'] } }

export const beside: Play<Beside> = { settings, run: play, verdict }
