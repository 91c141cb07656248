import type { Answer } from '../../contract/answers.ts'
import { AppError, isForbidden } from '../../contract/errors.ts'
import type { SessionId } from '../../contract/ids.ts'
import type { Receipt } from '../../contract/mail.ts'
import type { From } from '../../contract/messages.ts'
import type { Questions } from '../../contract/sessions.ts'
import { newId } from '../../lib/ids.ts'
import { shorten } from '../../lib/shorten.ts'
import { unansweredAsks } from '../../store/asks.ts'
import { countOpenMessages, findInbox } from '../../store/inbox.ts'
import { updateMail } from '../../store/mail.ts'
import { findSession } from '../../store/sessions.ts'
import { aboutSession, type Core, onSession, until } from '../base/index.ts'
import { addInbox } from '../inbox/index.ts'
import { nameWithHandle, whereOf } from '../sessions/index.ts'
import { answerOf, giveAnswer, refusal, said } from '../waits/index.ts'
import { resolveAddress, type There } from './addresses.ts'
import { limitsOf, nextHop } from './chains.ts'
import { deliver, mailRow } from './deliver.ts'
import type { MailDraft } from './draft.ts'
import type { Party, Speaker } from './party.ts'
import { lapseAsk } from './settle.ts'
import type { Alone } from './unattended.ts'

interface Words {
  readonly to: string
  readonly content: string
  /** Which session of an agent: `latest`, `create` or a handle. */
  readonly session?: string | undefined
  readonly followup?: boolean | undefined
  readonly interrupt?: boolean | undefined
  readonly ttl?: number | undefined
  readonly replyTo?: string | undefined
  readonly clientId?: string | undefined
  /** For a person only. */
  readonly unattended?: Alone | undefined
  readonly questions?: Questions | undefined
}

/** A mail in a session's mailbox, or an item in the person's inbox. */
export type Sent =
  | { readonly to: 'session'; readonly receipt: Receipt; readonly created: boolean }
  | { readonly to: 'human'; readonly inboxId: string }
  | { readonly to: 'everyone'; readonly receipts: readonly Receipt[] }

export async function sendAs(core: Core, by: Speaker, words: Words): Promise<Sent> {
  const { to, session, ...draft } = words
  const found = await resolveAddress(core, by, to, {
    session,
    clientId: words.clientId,
    content: words.content,
  })
  if (found.to === 'human') return { to: 'human', inboxId: await tellHuman(core, by as Party, words) }
  if (found.to === 'everyone')
    return {
      to: 'everyone',
      receipts: await sendToAll(core, await signed(core, by), found.sessionIds, { ...draft, interrupt: false }),
    }
  if (words.interrupt) await checkInterrupt(core, by, found.sessionId)
  const receipt = await deliver(core, { ...draft, ...(await signed(core, by)), to: found.sessionId })
  return { to: 'session', receipt, created: found.created }
}

/** The same words to each of them, one mail each; whoever ended meanwhile gets none. Sent again, each has it once. */
export async function sendToAll(
  core: Core,
  signature: Pick<MailDraft, 'from' | 'chain' | 'limits'>,
  sessionIds: readonly SessionId[],
  { clientId, ...draft }: Omit<MailDraft, 'to' | 'from'>,
): Promise<Receipt[]> {
  const receipts: Receipt[] = []
  for (const to of sessionIds) {
    const key = clientId === undefined ? {} : { clientId: `${clientId}:${to}` }
    const receipt = await deliver(core, { ...draft, ...signature, ...key, to }).catch((error: unknown) => {
      if (!(error instanceof AppError) || error.code !== 'mail.undeliverable') throw error
    })
    if (receipt) receipts.push(receipt)
  }
  return receipts
}

type Asking = Words & { readonly seconds: number; readonly callId?: string }

interface AskedOf {
  readonly receipt: Receipt
  readonly created: boolean
  readonly until: number
}

/** Puts a question into a mailbox. A question that would wait for itself, or wake nobody, is refused at once. */
export const askAs = async (core: Core, by: Party, words: Asking): Promise<AskedOf> =>
  putQuestion(core, by, await whomToAsk(core, by, words), words)

/** Asks on behalf of a call: a refusal is returned as the answer, not thrown. */
export async function askOrRefuse(
  core: Core,
  by: Party,
  words: Asking,
): Promise<AskedOf | { readonly refused: Answer }> {
  let found: There | undefined
  try {
    found = await whomToAsk(core, by, words)
    return await putQuestion(core, by, found, words)
  } catch (error) {
    if (!(error instanceof AppError) || !isRefusal(error)) throw error
    if (isForbidden(error.code))
      core.security('tool.denied', whereOf(by.session.id, by.session.agent), `agent_message: ${error.message}`)
    const asked = error.code === 'address.self' ? by.session.id : found?.sessionId
    return { refused: await refusal(core.store.read, error, asked, found?.created) }
  }
}

/** Errors about whom to ask are refusals; any other error is a failure of ours. */
const isRefusal = ({ code }: AppError): boolean => /^(address|agent|ask|mail|permission|session|task)\./.test(code)

async function whomToAsk(core: Core, by: Party, words: Words): Promise<There> {
  const found = await resolveAddress(core, by, words.to, words)
  if (found.to === 'session') return found
  if (found.to === 'everyone') {
    throw new AppError('address.unknown', 'One is asked at a time.', {
      hint: 'Name one of them, or tell all of them with agent_send.',
    })
  }
  throw new AppError('ask.human', 'The person is not asked this way.', {
    hint: 'An agent uses ask_human; a command tells them: troupe send human "…".',
  })
}

async function putQuestion(core: Core, by: Party, found: There, words: Asking): Promise<AskedOf> {
  const ends = core.clock.now() + words.seconds * 1000
  const receipt = await deliver(core, {
    ...(await signed(core, by)),
    to: found.sessionId,
    content: words.content,
    clientId: words.clientId,
    ask: { callId: words.callId, until: ends },
  })
  if (receipt.outcome === 'suppressed') {
    throw new AppError('mail.suppressed', 'It was not asked: too much has passed between agents without a person.', {
      hint: 'Do not ask again; the person has been told and may let it go on.',
    })
  }
  return { receipt, created: found.created, until: ends }
}

/** Waits for somebody over HTTP. When the time is up, the answer will come as mail. */
export async function waitForAnswer(
  core: Core,
  mailId: string,
  seconds: number,
  signal?: AbortSignal,
): Promise<Answer> {
  const look = async (): Promise<Answer | undefined> => {
    const ask = await mailRow(core.store.read, mailId)
    return ask.ask_state === 'answered' ? answerOf(core.store.read, ask, false) : undefined
  }
  const { session_id: about } = await mailRow(core.store.read, mailId)
  const answer = await until(core, look, { seconds, signal, about })
  if (answer !== undefined) return answer
  if (!signal?.aborted) await lapseAsk(core, mailId)
  const ask = await mailRow(core.store.read, mailId)
  const late = said({ now: core.clock.now(), mask: core.mask }, ask, 'timeout', 'No answer in time.')
  return (await look()) ?? answerOf(core.store.read, ask, false, late)
}

/** The waiting questions of a session, the oldest first. */
export async function waitingQuestions(
  core: Core,
  sessionId: SessionId,
): Promise<{ mailId: string; from: string; question: string; taskId?: string }[]> {
  const session = await findSession(core.store.read, sessionId)
  const asks = await unansweredAsks(core.store.read, sessionId)
  return asks
    .filter(({ ask_state }) => ask_state === 'open')
    .map((ask) => ({
      mailId: ask.id,
      from: `${ask.from_agent ?? ask.from_kind} ${ask.from_handle ?? ''}`.trim(),
      question: ask.content,
      ...(session?.task_id == null ? {} : { taskId: session.task_id }),
    }))
}

/** Answers a question in place of the session that was asked, which then no longer reads it. */
export async function answerAs(core: Core, by: Speaker, mailId: string, content: string): Promise<void> {
  const asked = await mailRow(core.store.read, mailId)
  if (by.kind === 'session' && asked.session_id !== by.session.id) {
    throw new AppError('auth.forbidden', `The question ${mailId} was not put to this session.`, {
      hint: '"troupe listen" shows its own questions.',
    })
  }
  await onSession(core, asked.session_id, 'ask.answer', async (tx, session) => {
    const ask = await mailRow(tx.db, mailId)
    if (ask.ask_state === null || !(await giveAnswer(tx, ask, said(tx, ask, 'complete', content)))) {
      throw new AppError('mail.not_a_question', `Nobody waits for an answer to ${mailId}.`, {
        hint: 'Send it as a message instead: troupe send.',
      })
    }
    if (ask.state === 'queued' || ask.state === 'held') await updateMail(tx.db, [ask.id], { state: 'answered' })
    tx.record('mail.answered', aboutSession(session), { mailId })
  })
}

const HUMAN_LIMIT = 1000

/** The person's mailbox is the inbox. */
async function tellHuman(core: Core, by: Party, { content, clientId }: Words): Promise<string> {
  return onSession(core, by.session.id, 'inbox.message', async (tx, session) => {
    const id = clientId === undefined ? newId('inbox') : `inbox_${clientId.replace(/[^A-Za-z0-9]+/g, '_')}`
    if (await findInbox(tx.db, id)) return id
    if ((await countOpenMessages(tx.db, session.project_id)) >= HUMAN_LIMIT) {
      throw new AppError('mail.box_full', `${HUMAN_LIMIT} messages wait for the person already.`, {
        hint: 'Write less, or leave a note with log_write.',
      })
    }
    const first = tx.mask(content).trim().split('\n', 1)[0]!
    await addInbox(tx, session, {
      id,
      kind: 'message',
      title: `${await nameWithHandle(tx.db, session)}: ${shorten(first, 100)}`,
      body: content,
    })
    return id
  })
}

async function checkInterrupt(core: Core, by: Speaker, target: SessionId): Promise<void> {
  if (by.kind === 'human' || by.permits('interrupt')) return
  const row = await findSession(core.store.read, target)
  if (row?.parent_session_id === by.session.id) return
  throw new AppError('permission.denied', 'You may not interrupt a session that is not your child.', {
    hint: 'Send it without "interrupt": it is read at the next safe point.',
  })
}

const fromPerson: From = { kind: 'human' }

/** The sender and the chain of a mail: set here, never by its content. */
async function signed(core: Core, by: Speaker) {
  if (by.kind === 'human') return { from: fromPerson }
  const from: From = { kind: 'agent', agent: by.session.agent, sessionId: by.session.id }
  return { from, chain: nextHop(by.chain), limits: await limitsOf(core, by.project) }
}
