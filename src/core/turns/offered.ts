import type { Agent } from '../../contract/agents.ts'
import type { SessionId } from '../../contract/ids.ts'
import type { ToolTier } from '../../contract/tools.ts'
import { findPrompt, readActive, setActive } from '../../store/prompts.ts'
import { findSession } from '../../store/sessions.ts'
import type { SessionRow } from '../../store/tables.ts'
import { aboutSession, type Core, type Tx } from '../base/index.ts'
import { judgeFor } from '../mail/index.ts'
import { ruleOnTool, shownTools } from '../permissions/index.ts'
import { describeSession, projectOfSession } from '../sessions/index.ts'
import { offerOf, type Shown, schemasIn, searchTools } from '../tools/index.ts'
import { rarelyUsedBy } from './run-rules.ts'
import type { Turn } from './turn.ts'

/** So many schemas may be loaded by searches; the oldest go first. */
const ACTIVE = 40

/** Everything that a session's prompt and tools are made of, as it is now. */
export async function offeredTo(core: Core, session: SessionRow, draft?: Agent) {
  const project = await projectOfSession(core, session)
  const described = await describeSession(core, session, project, draft)
  const judge = await judgeFor(core, session, project, described)
  const offer = offerOf(shownTools(judge), described.definition.toolExposure, rarelyUsedBy(session))
  return { ...described, project, judge, offer }
}

/** The tools this session has, how far each is loaded, and what would happen to a call of it. */
export async function sessionTools(core: Core, sessionId: SessionId) {
  const session = (await findSession(core.store.read, sessionId))!
  const { judge, offer } = await offeredTo(core, session)
  const row = await findPrompt(core.store.read, sessionId)
  const active = row === undefined ? [] : readActive(row)
  const described = (tier: ToolTier, { tool, schema }: Shown) => ({
    ...schema,
    capabilities: tool.capabilities,
    source: tool.origin?.source ?? ('built-in' as const),
    place: tool.origin?.place ?? '',
    tier,
    permission: ruleOnTool(judge, tool),
  })
  return [
    ...offer.loaded.map((shown) => described('loaded', shown)),
    ...offer.listed.map((shown) => described(active.includes(shown.tool.name) ? 'active' : 'listed', shown)),
  ]
}

/** Listed tools of the session that fit the query. What is out of its scope is not found. */
export async function findListed(core: Core, sessionId: SessionId, query: string) {
  const session = (await findSession(core.store.read, sessionId))!
  const { offer } = await offeredTo(core, session)
  const names = query.toLowerCase().split(/[\s,;]+/)
  const loaded = offer.loaded.filter(({ tool }) => names.includes(tool.name.toLowerCase()))
  return { ...searchTools(offer, query), loaded, listed: offer.listed.length }
}

/** From the next request on the session has these schemas, also after a restart. */
export async function loadTools(turn: Turn, tx: Tx, session: SessionRow, names: readonly string[]): Promise<void> {
  const row = names.length === 0 ? undefined : await findPrompt(tx.db, session.id)
  if (row === undefined) return
  const before = readActive(row)
  const fresh = names.filter((name) => !before.includes(name))
  if (fresh.length === 0) return
  const active = [...before, ...fresh].slice(-ACTIVE)
  await setActive(tx.db, session.id, active)
  tx.record('tool.loaded', aboutSession(session), { names: fresh })
  tx.after(() => {
    turn.schemas = schemasIn(turn.setup.offer, active)
  })
}
