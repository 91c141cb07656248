import { existsSync } from 'node:fs'
import { isInside, realPath } from '../../lib/files/files.ts'
import { hex } from '../../lib/ids.ts'
import { type CommandResult, runCommand, StartError } from '../../lib/process/processes.ts'
import { noGit } from '../../lib/sandbox/box.ts'
import { innerFolder } from '../../lib/sandbox/mounts.ts'
import { type Box, enclose, SandboxUnavailable, Swapped } from '../../lib/sandbox/sandbox.ts'
import { slots } from '../../lib/slots.ts'
import { printable } from '../../lib/text.ts'
import { type Hook, mayRun } from '../config/index.ts'
import { sandboxFor } from '../permissions/index.ts'
import { whereOf } from '../sessions/index.ts'
import { askAboutChanges, tellUnseen } from '../waits/index.ts'
import type { Moment } from './moment.ts'

/** What a hook left behind, or why it did not come to an end of its own. */
export type Ran =
  | { readonly exitCode: number; readonly stdout: string; readonly stderr: string }
  | { readonly failed: string }
  | { readonly aborted: true }

const AT_ONCE = 16
const STDOUT_BYTES = 1_000_000
const KEPT_CHARS = STDOUT_BYTES + 20_000
const STDERR_CHARS = 4000

const inTurn = slots(AT_ONCE)

/** Runs one hook in the sandbox of the session, until it and all that it started has ended. */
export function runHook(at: Moment, hook: Hook, told: string, signal: AbortSignal): Promise<Ran> {
  return inTurn(async () => {
    if (signal.aborted) return { aborted: true }
    if (hook.broken !== undefined) return { failed: hook.broken }
    if (!mayRun(at.core, at.project, hook))
      return { failed: 'something that acts in this project has changed, so the project is not trusted any more' }
    const sandbox = sandboxFor(at.core, at.judge, { reach: [], git: noGit })
    if ('unavailable' in sandbox) return { failed: `there is no sandbox for it: ${sandbox.unavailable}` }
    try {
      return await shutIn(at, hook, told, signal, sandbox)
    } catch (error) {
      if (error instanceof StartError || error instanceof SandboxUnavailable || error instanceof Swapped)
        return { failed: `it could not be started: ${error.message}` }
      throw error
    }
  })
}

/** Standard output comes behind a mark, so that it can be told from what the hook says to people. */
const SCRIPT = `set -o pipefail
{ out=$(bash -c "$1" 2>&3 3>&- | head -c ${STDOUT_BYTES + 1}); code=$?; } 3>&1
printf '%s%s' "$2" "$out"
exit $code`

async function shutIn(at: Moment, hook: Hook, told: string, signal: AbortSignal, sandbox: Box): Promise<Ran> {
  const { core, judge, agent } = at
  const mark = `\x1e${hex(16)}\x1e`
  const { folder, box } = programsOf(hook, core.home, sandbox)
  core.security('hook', whereOf(judge.sessionId, agent.name), `${hook.event} ${hook.name} (${hook.from})`)
  const { release, ...shut } = await enclose(['bash', '-c', SCRIPT, 'hook', hook.command, mark], box, core.env)
  const result = await runCommand({
    ...shut,
    command: hook.command,
    cwd: judge.workspace,
    env: core.env,
    declared: { ...given(at, hook), ...shut.declared, ...identity(at), TROUPE_HOOKS: folder },
    input: told,
    timeoutMs: hook.timeoutSeconds * 1000,
    signal,
    headTailChars: 2 * KEPT_CHARS,
  }).finally(async () => {
    const { aside, note } = await release()
    // What it changed of protected files is asked about, and nothing waits for the answer.
    const { runner: _, ...free } = core
    if (aside !== undefined) await askAboutChanges(free, aside)
    if (note !== undefined && judge.sessionId !== '') await tellUnseen(free, judge.sessionId, note)
  })
  return ranOf(hook, result, mark)
}

function ranOf({ timeoutSeconds }: Hook, result: CommandResult, mark: string): Ran {
  if (result.aborted) return { aborted: true }
  const [stderr = '', stdout = ''] = result.output.split(mark)
  const last = printable(stderr).trim().slice(-STDERR_CHARS)
  if (result.timedOut) return { failed: `it took longer than ${timeoutSeconds} s and was ended${saying(last)}` }
  if (stdout.length > STDOUT_BYTES) return { failed: `it printed more than ${STDOUT_BYTES / 1_000_000} MB` }
  if (result.over !== undefined) return { failed: `it took more ${result.over} than it may and was ended` }
  if (result.exitCode === null) return { failed: `it was ended by ${result.signal ?? 'an error'}${saying(last)}` }
  return { exitCode: result.exitCode, stdout: printable(stdout), stderr: last }
}

export const saying = (stderr: string): string => (stderr === '' ? '' : `; it said: ${stderr}`)

/** The person's own programs lie in the data folder, which no command sees. */
function programsOf({ folder }: Hook, home: string, box: Box): { folder: string; box: Box } {
  if (!existsSync(folder)) return { folder, box: { ...box, lasting: true } }
  const real = realPath(folder)
  if (box.mode !== 'off' && isInside(real, realPath(home)))
    return { folder: innerFolder, box: { ...box, lasting: true, shown: real } }
  return { folder: real, box: { ...box, lasting: true, readable: [...box.readable, real] } }
}

const given = ({ core }: Moment, { env }: Hook): Record<string, string | undefined> =>
  Object.fromEntries(env.map((name) => [name, core.env[name]]))

/** As commands of the session are known: with the session's token, never the owner's. */
function identity({ core, judge, agent }: Moment): Record<string, string> {
  const who = { TROUPE_AGENT_NAME: agent.name, TROUPE_AGENT_FOLDER: agent.folder, TROUPE_URL: core.url() }
  if (judge.sessionId === '') return who
  return { ...who, TROUPE_SESSION_ID: judge.sessionId, TROUPE_TOKEN: core.tokenOf(judge.sessionId) }
}
