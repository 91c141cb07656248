import type { Event } from '../../src/contract/events.ts'
import type { InboxItem } from '../../src/contract/inbox.ts'
import type { Session } from '../../src/contract/sessions.ts'
import { eventually } from '../kit/processes.ts'
import type { Reply, SeenMessage } from '../kit/vendor/server.ts'
import type { Client } from './client.ts'
import type { Life } from './life.ts'
import type { FaultPlace } from './place.ts'
import { rest } from './rows.ts'

export const SAID = {
  asked: 'Forty-two.',
  slow: 'At last.',
  child: 'Counted.',
  later: 'Done later.',
  notice: 'Nobody waited.',
  told: 'Noted.',
} as const
const NEWS = 'All is under way.'

/** What came of it, as seen by those who do not crash with the server. */
export interface Talk {
  readonly number: number
  readonly leadId: string
  readonly requests: number
  readonly crashes: number
}

/** One task at a time, so that one has to wait for its slot; the second mail of an agent already wakes nobody. */
export const narrow = { limits: { maxConcurrentTasks: 1 }, loop: { autoWakeBudget: 1 } }

/**
 * One agent leads: it asks (one answers, one too late), spawns (one it waits for, one it waits for later, one that tells
 * by mail, one that is canceled), sends (one mail wakes nobody until the person lets it go on), and leads the person on.
 */
export async function talk(place: FaultPlace, life: Life, client: Client, number: number): Promise<Talk> {
  const before = life.crashes
  const word = (name: string): string => `${name}#${number}#`
  const gates = { slow: gate(), later: gate(), notice: gate(), never: gate(), begun: gate() }
  let requests = 0
  const say = (name: string, reply: () => Reply): void =>
    place.vendor.script(
      () => {
        requests += 1
        return reply()
      },
      { word: word(name) },
    )
  say('ask', () => ({ text: SAID.asked }))
  say('slow', () => ({ text: SAID.slow, delay: gates.slow.promise }))
  say('child', () => ({ text: SAID.child }))
  say('later', () => ({ text: SAID.later, delay: gates.later.promise }))
  say('notice', () => ({ text: SAID.notice, delay: gates.notice.promise }))
  say('tell', () => ({ text: SAID.told }))
  say('never', () => {
    gates.begun.resolve()
    return { text: 'Too late.', delay: gates.never.promise }
  })
  place.vendor.script(
    ({ messages }) => {
      requests += 1
      return lead(messages, word)
    },
    { word: word('lead') },
  )

  const leadId = await client.open(`lead ${number}`)
  const first = await client.send(leadId, `first ${number}`, `${word('lead')} part 0`)
  await waiting(client, life, leadId, 'task_wait')
  gates.later.resolve()
  await client.settled(first.mailId)
  await client.answer(leadId, await stopped(client, word('tell')), 'go on')
  gates.notice.resolve()
  gates.slow.resolve()
  await rest(place, life, PATIENCE_SECONDS)
  const second = await client.send(leadId, `second ${number}`, `${word('lead')} part 1`)
  await client.settled(second.mailId)
  await client.send(leadId, `third ${number}`, `${word('lead')} part 2`)
  await Promise.race([gates.begun.promise, life.broken])
  await waiting(client, life, leadId, 'agent_spawn')
  await client.request('POST', `/api/sessions/${leadId}/cancel`)
  await rest(place, life, PATIENCE_SECONDS)
  return { number, leadId, requests, crashes: life.crashes - before }
}

/** What the lead says in each part, by how many answers it has given since: asked again after a crash, it says the same. */
function lead(messages: readonly SeenMessage[], word: (name: string) => string): Reply {
  const began = messages.findLastIndex(({ role, text }) => role === 'user' && text.includes(`${word('lead')} part`))
  const part = Number(/ part (\d)/.exec(messages[began]?.text ?? '')?.[1])
  const said = messages.slice(began).filter(({ role }) => role === 'assistant').length
  const researcher = { to: 'researcher', session: 'create' }
  const give = (name: string, wait: boolean) => ({
    name: 'agent_spawn',
    input: { agent: 'researcher', instruction: word(name), wait },
  })
  const parts: Reply[][] = [
    [
      {
        calls: [
          { name: 'agent_message', input: { ...researcher, message: word('ask') } },
          { name: 'agent_message', input: { ...researcher, message: word('slow'), timeout: 1 } },
          give('child', true),
        ],
      },
      { calls: [give('later', false)] },
      { calls: [give('notice', false)] },
      { calls: [{ name: 'task_wait', input: { taskIds: [givenLater(messages)] } }] },
      {
        calls: [
          { name: 'agent_send', input: { to: 'writer', session: 'create', message: `${word('tell')} one` } },
          { name: 'agent_send', input: { to: 'writer', session: 'latest', message: `${word('tell')} two` } },
        ],
      },
      { text: NEWS },
    ],
    [
      {
        calls: [
          { name: 'agent_send', input: { to: 'human', message: `News of ${word('lead')}` } },
          { name: 'switch_to', input: { agent: 'writer' } },
        ],
      },
      { text: NEWS },
    ],
    [{ calls: [give('never', true)] }, { text: NEWS }],
  ]
  const steps = parts[part] ?? []
  return steps[Math.min(said, steps.length - 1)] ?? { text: NEWS }
}

/** Three results come before it. */
function givenLater(messages: readonly SeenMessage[]): string {
  const results = messages.flatMap((message) => message.results.map(({ text }) => text))
  return /task_\w+/.exec(results[3] ?? '')?.[0] ?? 'none'
}

const gate = () => Promise.withResolvers<void>()

async function waiting(client: Client, life: Life, sessionId: string, tool: string): Promise<void> {
  await Promise.race([
    life.broken,
    eventually(async () => {
      const { body } = await client.request<Session>('GET', `/api/sessions/${sessionId}`)
      const parked = await client.request<{ items: Event[] }>(
        'GET',
        `/api/events?session=${sessionId}&types=call.parked&limit=1000`,
      )
      return (body.status === 'waiting' && parked.body.items.at(-1)?.data.name === tool) || undefined
    }, PATIENCE_SECONDS),
  ])
}

async function stopped(client: Client, word: string): Promise<string> {
  const { body } = await client.request<{ items: InboxItem[] }>('GET', '/api/inbox?status=open&limit=200')
  const found = body.items.filter(({ kind, body: text }) => kind === 'notice' && text.includes(word))
  if (found.length !== 1) throw new Error(`${found.length} notices of the stop: ${JSON.stringify(body.items)}`)
  return found[0]!.id
}

const PATIENCE_SECONDS = 240
