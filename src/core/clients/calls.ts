import type { ClientCall, ClientResult } from '../../contract/client-tools.ts'
import { AppError } from '../../contract/errors.ts'
import { iso } from '../../lib/clock.ts'
import { cutTo, printable } from '../../lib/text.ts'
import { callsWaitingFor, findCall, inputOf } from '../../store/calls.ts'
import { findSession } from '../../store/sessions.ts'
import { type Core, onSession, type ToolOutput } from '../base/index.ts'
import { askedOfClient, resumeCall } from '../waits/index.ts'

const OUTPUT_CHARS = 20_000

interface Waiting {
  readonly key: string
  readonly call: ClientCall
}

/** The calls that wait for any client, oldest first. */
export async function callsFor(core: Core): Promise<Waiting[]> {
  const db = core.store.read
  const found: Waiting[] = []
  for (const row of await callsWaitingFor(db, 'client')) {
    const { key, client = '', until = 0 } = askedOfClient(row)
    const session = await findSession(db, row.session_id)
    if (key === undefined || session === undefined || session.deleted_at !== null) continue
    const about = { callId: row.id, client, name: row.name, sessionId: row.session_id, agent: session.agent }
    found.push({ key, call: { ...about, input: inputOf(row), until: iso(until) } })
  }
  return found
}

/** The first answer counts; only the client that was asked may give it. */
export async function answerCall(
  core: Core,
  key: string,
  { callId, output, error }: ClientResult,
): Promise<{ callId: string }> {
  const asked = await findCall(core.store.read, callId)
  if (asked === undefined || askedOfClient(asked).key !== key)
    throw new AppError('call.not_found', `No call "${callId}" was sent to this client.`, {
      hint: 'Answer with the callId of a call frame, and with the name under which the tools are registered.',
    })
  const result: ToolOutput = { output: bounded(output), ...(error && { error: true }) }
  const first = await onSession(core, asked.session_id, 'client.answer', async (tx, session) => {
    const call = await findCall(tx.db, callId)
    return call !== undefined && resumeCall(core, tx, session, call, { result }, 'client')
  })
  if (first) return { callId }
  throw new AppError('call.resolved', 'That call no longer waits.', {
    hint: 'It was answered before, its time was up, or its turn was stopped.',
  })
}

/** It is data of somebody else: text is cleaned, and all of it is bounded. */
function bounded(output: unknown): unknown {
  if (output === undefined || output === null || output === '') return '[no output]'
  const text = typeof output === 'string' ? printable(output) : JSON.stringify(output)
  if (text.length <= OUTPUT_CHARS) return typeof output === 'string' ? text : output
  return cutTo(text, OUTPUT_CHARS, (missing) => `${missing} more characters were cut; ask for a smaller part of it`)
}
