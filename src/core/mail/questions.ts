import type { SessionId } from '../../contract/ids.ts'
import { findSession } from '../../store/sessions.ts'
import type { Core, Project } from '../base/index.ts'
import { effectiveSettings } from '../config/index.ts'
import { presenceNow } from '../inbox/index.ts'
import type { QuestionPolicy } from '../waits/index.ts'
import { isUnattended } from './unattended.ts'

/** What becomes of a question that nobody answers: as the session says, or the settings while nobody is there. */
export async function questionPolicy(
  core: Core,
  { sessionId, project, chainId }: { sessionId: SessionId; project: Project; chainId: string },
): Promise<QuestionPolicy> {
  const own = (await findSession(core.store.read, sessionId))?.questions
  if (own != null) return { unanswered: own, because: 'this was said for the work' }
  const { status, until } = await presenceNow(core)
  const away = status === 'away'
  if (!away && !isUnattended(chainId)) return { unanswered: 'wait', because: '' }
  const { unattended } = (await effectiveSettings(core, project)).settings.questions
  const gone = until === undefined ? 'the person is away' : `the person is away until ${until}`
  return { unanswered: unattended, because: away ? gone : 'nobody attends to this work' }
}
