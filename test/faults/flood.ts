import type { StoreKind } from '../kit/database.ts'
import type { Reply, SeenRequest } from '../kit/vendor/server.ts'
import { type Client, createClient } from './client.ts'
import { badEvents, badLog, hasHoles, unrest } from './invariants.ts'
import { type Life, startLife } from './life.ts'
import { inPlace } from './place.ts'
import { endLeases, type Rows, readRows, rest } from './rows.ts'

interface Flood {
  readonly senders: number
  readonly sessions: number
  readonly mails: number
  readonly kills: number
  /** From 0 to 1, from a printed seed. */
  readonly random: () => number
}

interface Sent {
  readonly sender: number
  readonly number: number
  readonly sessionId: string
}

/** Many write to many who are busy, and the server is killed again and again meanwhile. Returns what is wrong. */
export function flood(store: StoreKind, { senders, sessions, mails, kills, random }: Flood): Promise<string[]> {
  return inPlace(store, async (place) => {
    place.vendor.script(busy)
    const life = startLife(place, { limit: kills, onDeath: () => endLeases(place) })
    const client = createClient(life)
    const ids = await Promise.all(Array.from({ length: sessions }, (_, index) => client.open(`s${index}`, 'assistant')))
    const kill = killer(life, { kills, mails, random })
    const sent: Sent[] = []
    const send = async (sender: number): Promise<void> => {
      for (let number = sender; number < mails; number += senders) {
        const sessionId = ids[Math.floor(random() * ids.length)]!
        await client.send(sessionId, `${number}`, `${sender} wrote ${number}`)
        sent.push({ sender, number, sessionId })
        kill(sent.length)
      }
    }
    await Promise.race([life.broken, Promise.all(Array.from({ length: senders }, (_, sender) => send(sender)))])
    await rest(place, life, PATIENCE_SECONDS)
    const exit = await life.stop()
    const rows = await readRows(place)
    return [
      ...(exit.code === 0 ? [] : [`the server ended with ${exit.code ?? exit.signal}: ${exit.stderr}`]),
      ...(life.crashes === kills ? [] : [`${life.crashes} kills instead of ${kills}`]),
      ...place.vendor.rejections.map(({ reason }) => `the vendor refused a history: ${reason}`),
      ...rows.damage.map((line) => `the database is damaged: ${line}`),
      ...(store === 'sqlite' && hasHoles(rows) ? ['the events have holes'] : []),
      ...badMail(client, sent, rows),
      ...badOrder(sent, rows),
      ...rows.sessions.flatMap((session) => [
        ...unrest({ ...session, status: session.status === 'error' ? 'idle' : session.status }, rows, [
          'done',
          // So much comes in one turn that its limit of model calls is reached; the next turn reads the rest.
          'limit',
        ]),
        ...badLog(session.id, rows),
        ...badEvents(session.id, rows),
      ]),
    ]
  })
}

/** A call before each answer, never the same: most mail comes while its session is at work. */
const busy = ({ messages }: SeenRequest): Reply =>
  messages.at(-1)?.role === 'tool'
    ? { text: 'Read.', delay: WORK_MS }
    : { calls: [{ name: 'read_file', input: { path: `${messages.length}.txt` } }], delay: WORK_MS }

/** Kills when so many mails were acknowledged; one after another, at moments spread over the whole. */
function killer(life: Life, { kills, mails, random }: Pick<Flood, 'kills' | 'mails' | 'random'>) {
  const part = mails / (kills + 1)
  const moments = Array.from({ length: kills }, (_, index) => Math.floor(part * (index + 0.5 + random() / 2)))
  let killing = Promise.resolve()
  return (count: number): void => {
    if (count < (moments[0] ?? Number.POSITIVE_INFINITY)) return
    moments.shift()
    // The next one must be there before it can be killed.
    killing = killing.then(async () => {
      await life.server()
      await life.kill()
    })
    killing.catch(() => {})
  }
}

/** Everything acknowledged is there once, in one message, and that message and the mail name one turn. */
function badMail({ acknowledged }: Client, sent: readonly Sent[], { mail, messages, turns }: Rows): string[] {
  const found: string[] = []
  const byClient = Map.groupBy(mail, ({ client_id }) => client_id)
  const byMail = Map.groupBy(messages, ({ mail_id }) => mail_id)
  const known = new Set(turns.map(({ id }) => id))
  if (mail.length !== sent.length) found.push(`${mail.length} mails, ${sent.length} acknowledged`)
  for (const { mailId, clientId, sessionId, content } of acknowledged.mail) {
    const [row, ...more] = byClient.get(clientId) ?? []
    const [message, ...others] = byMail.get(mailId) ?? []
    const there = row?.id === mailId && row.content === content && more.length === 0
    const read = row?.state === 'taken' && message?.session_id === sessionId && others.length === 0
    const inTurn = message?.turn_id != null && message.turn_id === row?.turn_id && known.has(message.turn_id)
    if (!there || !read || !inTurn) {
      found.push(`mail ${clientId} is ${row?.state}, there ${1 + more.length} times, in ${others.length} more messages`)
    }
  }
  return found
}

/** What one sender wrote to one session is read in the order in which it was acknowledged. */
function badOrder(sent: readonly Sent[], { mail, messages }: Rows): string[] {
  const written = new Map(mail.map((row) => [row.id, row.client_id]))
  const read = messages.flatMap(({ session_id, mail_id }) =>
    mail_id === null ? [] : [{ sessionId: session_id, number: Number(written.get(mail_id)) }],
  )
  const senderOf = new Map(sent.map(({ number, sender }) => [number, sender]))
  const line = ({ sessionId, number }: { sessionId: string; number: number }) => `${senderOf.get(number)} ${sessionId}`
  const wanted = Map.groupBy(sent, line)
  const got = Map.groupBy(read, line)
  const numbers = (some: readonly { number: number }[] = []) => some.map(({ number }) => number).join()
  return [...wanted].flatMap(([key, some]) =>
    numbers(some) === numbers(got.get(key))
      ? []
      : [`${key}: wrote ${numbers(some)}, was read as ${numbers(got.get(key))}`],
  )
}

/** Longer than it takes to send: several mails are there by the next safe point. */
const WORK_MS = 200
const PATIENCE_SECONDS = 300
