import { AppError } from '../../contract/errors.ts'
import type { SessionId } from '../../contract/ids.ts'
import { findSession } from '../../store/sessions.ts'
import type { SessionRow } from '../../store/tables.ts'
import { findTurn, latestTurn } from '../../store/turns.ts'
import type { Chain, Core, Tool, ToolContext } from '../base/index.ts'
import { judge, makersOf, reaches, ruleOnDenied } from '../permissions/index.ts'
import { describeSession, projectOfSession } from '../sessions/index.ts'
import { judgeFor } from './judge.ts'
import type { Party } from './party.ts'

/** The session whose call this is. */
export async function speakerOf(context: ToolContext): Promise<Party> {
  const session = (await findSession(context.core.store.read, context.sessionId))!
  const makers = makersOf(session)
  return {
    kind: 'session',
    session,
    project: context.project,
    chain: context.chain,
    mayReach: (name) => reaches(context.definition, makers, name),
    permits: context.permits,
  }
}

/** A session as a speaker, for a child process that holds its token: judged as if the session made the call itself. */
export async function partyOf(core: Core, sessionId: SessionId): Promise<Judged> {
  const session = (await findSession(core.store.read, sessionId))!
  const project = await projectOfSession(core, session)
  const described = await describeSession(core, session, project)
  const { definition, makers, tools } = described
  const chain = await chainOf(core, session)
  const by = await judgeFor(core, session, project, described, chain.id)
  const sending = sender(tools, 'news')
  return {
    kind: 'session',
    session,
    project,
    chain,
    mayReach: (name) => sending !== undefined && reaches(definition, makers, name),
    permits: (what) => sending !== undefined && ruleOnDenied(by, sending, what) === 'allow',
    async check(sends, input) {
      if (session.status === 'closed') throw closed()
      await mayCall(sender(core.tools, sends)?.name ?? sends, input)
    },
    judge: mayCall,
    async mustNotRefuse(name, input) {
      // Somebody was asked when it was set up.
      const verdict = await judge({ ...by, unattended: 'wait' }, { name, input })
      if (verdict.verdict === 'refuse') throw new AppError('permission.denied', verdict.because)
    },
  }

  async function mayCall(name: string, input: Record<string, unknown>): Promise<void> {
    const verdict = await judge(by, { name, input })
    if (verdict.verdict === 'run') return
    throw new AppError('permission.denied', verdict.because, {
      hint:
        verdict.verdict === 'ask'
          ? `Only a call of the agent itself can be approved: it has to call ${name}.`
          : 'It was not sent.',
    })
  }
}

interface Judged extends Party {
  /** Throws unless the session may send this, as a call of the tool for it, without asking. */
  check(sends: Sends, input: Record<string, unknown>): Promise<void>
  /** The same for any tool, also when the session is closed: what it set up before is judged as its own. */
  judge(tool: string, input: Record<string, unknown>): Promise<void>
  /** Throws where the session has no such tool, or a rule denies the call; not where a person would be asked. */
  mustNotRefuse(tool: string, input: Record<string, unknown>): Promise<void>
}

type Sends = NonNullable<Tool['sends']>

const sender = (tools: ReadonlyMap<string, Tool>, sends: Sends): Tool | undefined =>
  [...tools.values()].find((tool) => tool.sends === sends)

/** What a session causes belongs to the chain of its turn, or of its latest turn when none is open. */
export async function chainOf(core: Core, session: SessionRow): Promise<Chain> {
  const db = core.store.read
  const turn = session.turn_id === null ? await latestTurn(db, session.id) : await findTurn(db, session.turn_id)
  return { id: turn?.chain_id ?? turn?.id ?? session.id, hops: turn?.hops ?? 0 }
}

const closed = (): AppError =>
  new AppError('session.state', 'This session is closed: nothing is sent in its name.', {
    hint: 'The person can reopen it.',
  })
