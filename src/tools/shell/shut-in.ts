import { AppError } from '../../contract/errors.ts'
import type { ToolContext } from '../../core/base/index.ts'
import { boxOf } from '../../core/permissions/index.ts'
import { askAboutChanges, tellUnseen } from '../../core/waits/index.ts'
import { StartError } from '../../lib/process/processes.ts'
import { type Box, type Enclosed, enclose, SandboxUnavailable, Swapped } from '../../lib/sandbox/sandbox.ts'

/** Shuts a program of a call in. It can write and answer mail as the session, with a token of the session, never the owner's. */
export async function shutIn(
  program: readonly [string, ...string[]],
  context: ToolContext,
  box: Box,
): Promise<Enclosed> {
  const { core, sessionId, agent } = context
  const shut = await enclose(program, box, core.env)
  const who = {
    TROUPE_TOKEN: core.tokenOf(sessionId),
    TROUPE_SESSION_ID: sessionId,
    TROUPE_URL: core.url(),
    TROUPE_AGENT_NAME: agent.name,
    TROUPE_AGENT_FOLDER: agent.folder,
  }
  return { ...shut, declared: { ...unattendedPrograms, ...shut.declared, ...who } }
}

/** Nobody sits before a command: whatever would open an editor fails with a sentence, and whatever would page prints. */
const noEditor = `echo 'No editor opens here. Give the text with an option, such as -m or -F; GIT_EDITOR=true in front keeps the text there is.' >&2; false`
const unattendedPrograms = {
  ...Object.fromEntries(['GIT_EDITOR', 'GIT_SEQUENCE_EDITOR', 'EDITOR', 'VISUAL'].map((name) => [name, noEditor])),
  ...Object.fromEntries(['PAGER', 'GIT_PAGER', 'MANPAGER'].map((name) => [name, 'cat'])),
}

/** What kept a program from being started, as a sentence for the model. */
export function unstarted(error: unknown): unknown {
  if (error instanceof StartError) return new AppError('tool.failed', error.message, { cause: error })
  if (error instanceof Swapped) return new AppError('path.outside', `The command was not run. ${error.message}`, AWAY)
  if (!(error instanceof SandboxUnavailable)) return error
  try {
    return boxOf({ unavailable: error.message })
  } catch (unavailable) {
    return unavailable
  }
}

const AWAY = {
  hint: 'Only the person can change this: by putting the folder back, or with a new session where the folder is now.',
}

/** For a program that goes on behind its call: whoever waits for nothing is asked about what it changed. */
export const releaseLater = (shut: Enclosed, context: ToolContext) => async (): Promise<void> => {
  const { aside, note } = await shut.release()
  // The turn that began the program may be over, and its lease with it.
  const { runner: _, ...core } = context.core
  if (aside !== undefined) await askAboutChanges(core, aside)
  if (note !== undefined) await tellUnseen(core, context.sessionId, note)
}
