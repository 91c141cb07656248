import { AppError } from '../../contract/errors.ts'
import type { SessionId } from '../../contract/ids.ts'
import { findSession } from '../../store/sessions.ts'
import type { Core } from '../base/index.ts'
import { chainOf, judgeFor } from '../mail/index.ts'
import { judge } from '../permissions/index.ts'
import { describeSession, projectOfSession } from '../sessions/index.ts'
import type { Giver } from './spawn.ts'

/** What a child process does with tasks in the name of its session is judged as a call of the tool for it. */
export async function mayCall(
  core: Core,
  sessionId: SessionId,
  name: string,
  input: Record<string, unknown>,
): Promise<Omit<Giver, 'callId'>> {
  const session = (await findSession(core.store.read, sessionId))!
  const project = await projectOfSession(core, session)
  const described = await describeSession(core, session, project)
  const chain = await chainOf(core, session)
  if (session.status === 'closed') throw closed()
  const verdict = await judge(await judgeFor(core, session, project, described, chain.id), { name, input })
  if (verdict.verdict !== 'run') {
    throw new AppError('permission.denied', verdict.because, {
      hint:
        verdict.verdict === 'ask'
          ? `Only a call of the agent itself can be approved: it has to call ${name}.`
          : 'Nothing was done.',
    })
  }
  const { agent, definition } = described
  return { sessionId, project, agent, definition, chain, workspace: session.workspace, deadline: core.clock.now() }
}

const closed = (): AppError =>
  new AppError('session.state', 'This session is closed: nothing is done in its name.', {
    hint: 'The person can reopen it.',
  })
