import { mailInChain } from '../../store/chains.ts'
import { findSession } from '../../store/sessions.ts'
import type { Db, MailRow, SessionRow, TurnRow } from '../../store/tables.ts'
import { nameWithHandle } from '../sessions/index.ts'

const STEPS = 20
const SAID = 100

/** Who asked whom, from the first down to this session. Empty when a person asked this session directly. */
export async function whoAskedWhom(db: Db, session: SessionRow, turn: TurnRow | undefined): Promise<string[]> {
  const steps: MailRow[] = []
  let { hops = 0 } = turn ?? {}
  for (let at = session.id; turn?.chain_id != null && hops > 0 && steps.length < STEPS; ) {
    const mail = await mailInChain(db, turn.chain_id, at, hops)
    if (mail?.from_session_id == null) break
    steps.unshift(mail)
    at = mail.from_session_id
    hops = mail.hops - 1
  }
  const [first] = steps
  if (first?.from_session_id == null) return []
  const lines = await Promise.all(steps.map((mail) => lineOf(db, mail)))
  return [`  ${hops > 0 ? '…' : 'the person'} → ${await nameOfSession(db, first.from_session_id)}`, ...lines]
}

async function lineOf(db: Db, { from_session_id, session_id, content }: MailRow): Promise<string> {
  const said = content.replace(/\s+/g, ' ')
  const shown = said.length > SAID ? `${said.slice(0, SAID)}…` : said
  return `  ${await nameOfSession(db, from_session_id!)} → ${await nameOfSession(db, session_id)}: ${shown}`
}

async function nameOfSession(db: Db, id: string): Promise<string> {
  const session = await findSession(db, id)
  return session === undefined ? '' : nameWithHandle(db, session)
}
