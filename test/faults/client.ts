import { setTimeout as pause } from 'node:timers/promises'
import type { Reply } from '../../src/contract/api.ts'
import type { Receipt } from '../../src/contract/mail.ts'
import type { Session } from '../../src/contract/sessions.ts'
import type { Life } from './life.ts'

/** What the server has answered for; kept here, where no crash of the server reaches it. */
export interface Acknowledged {
  readonly sessions: { readonly id: string; readonly clientId: string }[]
  readonly mail: {
    readonly sessionId: string
    readonly mailId: string
    readonly clientId: string
    readonly content: string
  }[]
  readonly answers: { readonly sessionId: string; readonly inboxId: string; readonly answer: string }[]
}

/** A client as it should be: repeats each request, with the same clientId, until it has an answer. */
export interface Client {
  readonly acknowledged: Acknowledged
  request<T>(method: string, path: string, body?: unknown): Promise<{ status: number; body: T }>
  open(clientId: string, agent?: string): Promise<string>
  send(sessionId: string, clientId: string, content: string, more?: { followup?: boolean }): Promise<Receipt>
  /** Waits until the turn that took this mail has ended or waits for a person. */
  settled(mailId: string): Promise<Reply>
  answer(sessionId: string, inboxId: string, answer: string): Promise<void>
}

/** A server that was asked to end takes no connection while it finishes, and a busy machine starts the next one late. */
const PATIENCE_MS = 60_000
const TRY_AGAIN_MS = 50
const REPORTED_MS = 10_000
const WAIT_SECONDS = 30
const WAITS = 20

export function createClient(
  life: Pick<Life, 'server' | 'gone'>,
  acknowledged: Acknowledged = { sessions: [], mail: [], answers: [] },
): Client {
  async function request<T>(method: string, path: string, body?: unknown): Promise<{ status: number; body: T }> {
    let last: unknown
    let asked: number | undefined
    for (let end = 0; ; ) {
      const { url, token, pid } = await life.server()
      // Where one server after another is killed, a long wait is cut each time: only one that lives can keep us waiting.
      if (pid !== asked) end = performance.now() + PATIENCE_MS
      asked = pid
      try {
        const response = await fetch(`${url}${path}`, {
          method,
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          signal: AbortSignal.timeout((WAIT_SECONDS + 10) * 1000),
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        })
        const answer = { status: response.status, body: (await response.json()) as T }
        if (response.status < 500) return answer
        last = JSON.stringify(answer.body)
      } catch (error) {
        last = error
      }
      const late = performance.now() > end
      // A dead server's process may be reported later than its broken connection.
      const dead = life.gone(pid).then(() => true)
      if (await Promise.race([dead, pause(late ? REPORTED_MS : TRY_AGAIN_MS, false)])) continue
      if (late) throw new Error(`${method} ${path} was not answered: ${last}`)
    }
  }

  async function ok<T>(method: string, path: string, body?: unknown): Promise<T> {
    const answer = await request<T>(method, path, body)
    if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }

  return {
    acknowledged,
    request,
    async open(clientId, agent = 'coder') {
      const { id } = await ok<Session>('POST', '/api/sessions', { agent, clientId })
      acknowledged.sessions.push({ id, clientId })
      return id
    },
    async send(sessionId, clientId, content, more = {}) {
      const receipt = await ok<Receipt>('POST', `/api/sessions/${sessionId}/messages`, { content, clientId, ...more })
      acknowledged.mail.push({ sessionId, mailId: receipt.mailId, clientId, content })
      return receipt
    },
    async settled(mailId) {
      let reply: Reply | undefined
      for (let waits = 0; waits < WAITS; waits += 1) {
        reply = await ok<Reply>('GET', `/api/mail/${mailId}?wait=${WAIT_SECONDS}`)
        if (reply.ended || reply.waits !== undefined) return reply
      }
      throw new Error(`The mail ${mailId} was not dealt with in ${WAITS * WAIT_SECONDS} s: ${JSON.stringify(reply)}`)
    },
    async answer(sessionId, inboxId, answer) {
      const reply = await request('POST', `/api/inbox/${inboxId}/answer`, { answer })
      // 409: an earlier try was heard, though its answer was not.
      if (reply.status !== 200 && reply.status !== 409)
        throw new Error(`The answer was refused: ${JSON.stringify(reply.body)}`)
      acknowledged.answers.push({ sessionId, inboxId, answer })
    },
  }
}
