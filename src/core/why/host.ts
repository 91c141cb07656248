import { findHost } from '../../store/hosts.ts'
import type { SessionRow } from '../../store/tables.ts'
import { isForeign, whyNotHere } from '../sessions/index.ts'
import { line, moment, person, wakes } from '../waits/index.ts'
import type { Cause, Look } from './reason.ts'

/** A host shows itself every 10 s. */
const AWAY_MS = 35_000

/** The session was made on another host, and this one cannot run it: its workspace is there, or something is missing here. */
export async function hostReason(look: Look, session: SessionRow): Promise<Cause | undefined> {
  const { core, db } = look
  if (session.host === null || !isForeign(core, session)) return undefined
  const missing = session.moves === 1 ? await whyNotHere(core, session) : 'Its workspace is there.'
  if (missing === undefined) return undefined
  const host = await findHost(db, session.host)
  const away = host === undefined || host.seen_at < (await core.store.now(db)) - AWAY_MS
  const name = host === undefined ? `host ${session.host}` : `host ${host.name} (${host.id})`
  const since = host === undefined ? 'for months' : `since ${moment(host.seen_at)}`
  return {
    says: away ? `waits for ${name}, which is away ${since}` : `waits for ${name}`,
    waitsOn: [
      { kind: 'runner', ref: session.host, label: line(look, `only it can run this session: ${missing}`, 300) },
    ],
    wakes: wakes('runner', away ? 'a server that is started there' : 'the next look for work there, within seconds'),
    unblock: away ? [person('start its server, on that machine', 'troupe up --detach')] : [],
  }
}
