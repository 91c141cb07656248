import { constants } from 'node:os'
import { z } from 'zod'
import { AppError } from '../../contract/errors.ts'
import type { Park, Sandbox, ToolContext, ToolOutput } from '../../core/base/index.ts'
import { boxOf, defineTool } from '../../core/permissions/index.ts'
import { whereOf } from '../../core/sessions/index.ts'
import { parkForChanges, tellUnseen } from '../../core/waits/index.ts'
import { readBackground, runningBackground, startBackground, stopBackground } from '../../lib/process/background.ts'
import { type Caps, gibibytes } from '../../lib/process/caps.ts'
import { type CommandResult, type Ended, bashArguments as program, runCommand } from '../../lib/process/processes.ts'
import type { Aftermath, Enclosed } from '../../lib/sandbox/sandbox.ts'
import { printable } from '../../lib/text.ts'
import { releaseLater, shutIn, unstarted } from './shut-in.ts'

const OUTPUT_CHARS = 10_000
const LIVE_CHARS = 200_000

const Input = z
  .strictObject({
    command: z.string().min(1).max(100_000).optional().describe('What to run'),
    timeout: z.int().min(1).max(600).default(120).describe('Seconds'),
    background: z.boolean().default(false).describe('Answer at once with its id'),
    background_id: z.string().optional().describe('Instead of command'),
    action: z.enum(['read', 'stop']).default('read').describe('With background_id'),
  })
  .refine(({ command, background_id }) => (command === undefined) !== (background_id === undefined), {
    error: 'give either command or background_id',
  })

export const bash = defineTool({
  name: 'bash',
  description:
    'Run a bash command in the workspace, without terminal or input. When it ends, what it left running ends too, and /tmp is emptied. background: for servers and long jobs, to be read or stopped by background_id.',
  input: Input,
  capabilities: ['shell'],
  maxOutputChars: OUTPUT_CHARS + 2000,
  commandLine: ({ command }) => command,
  async run({ command, timeout, background, background_id, action }, context) {
    if (background_id !== undefined)
      return action === 'stop' ? await stop(background_id, context) : read(background_id, context)
    try {
      context.core.security('command', whereOf(context.sessionId, context.agent.name), command ?? '')
      const shut = await shutIn(program(command ?? ''), context, {
        ...boxOf(context.sandbox),
        lasting: background,
      })
      return background ? start(command ?? '', shut, context) : await foreground(command ?? '', timeout, shut, context)
    } catch (error) {
      throw unstarted(error)
    }
  },
})

async function foreground(
  command: string,
  seconds: number,
  shut: Enclosed,
  context: ToolContext,
): Promise<ToolOutput | Park> {
  const { release, ...shutIn } = shut
  let after: Aftermath = {}
  const result = await runCommand({
    ...shutIn,
    command,
    cwd: context.run?.folder ?? context.workspace,
    env: context.core.env,
    timeoutMs: seconds * 1000,
    signal: context.signal,
    onOutput: live(context),
    headTailChars: OUTPUT_CHARS,
  }).finally(async () => {
    after = await release()
  })
  const failed = result.timedOut || result.aborted
  if (after.note !== undefined) await tellUnseen(context.core, context.sessionId, after.note)
  const note = after.note && `[${after.note}]`
  const notes = [ending(result, seconds, context), ...hints(result, context), note].filter(Boolean).join('\n')
  const output = { output: joined(printable(result.output), notes), ...(failed && { error: true }) }
  return after.aside === undefined ? output : parkForChanges(context, after.aside, output)
}

/** Tells a model what it ran into, so that it does not think the machine is broken. */
function hints({ output, exitCode, signal }: CommandResult, { sandbox }: ToolContext): string[] {
  if ('unavailable' in sandbox) return []
  const { caps } = sandbox
  const tooLarge = exitCode === 128 + constants.signals.SIGXFSZ || signal === 'SIGXFSZ' || /File too large/.test(output)
  const shut = sandbox.mode !== 'off'
  return [
    tooLarge ? `[A file may have ${gibibytes(caps.fileBytes)} at most. Write several smaller ones.]` : '',
    shut && /No space left on device/i.test(output)
      ? `[/tmp holds ${gibibytes(caps.tempBytes)} at most. For more, set TMPDIR to a folder in the workspace and remove it afterwards. If the disk of the workspace is full, tell the person.]`
      : '',
    shut && exitCode !== 0 && /Read-only file system/i.test(output)
      ? '[The sandbox lets commands write in the workspace and /tmp only, and nothing in .git and .troupe there. Git commands may write .git once a person or a rule allows them.]'
      : '',
  ]
}

/** Live output is for watching; a flood of it helps nobody. */
function live(context: ToolContext): (text: string) => void {
  let left = LIVE_CHARS
  return (text) => {
    if (left <= 0) return
    const shown = printable(text.slice(0, left))
    left -= text.length
    context.output(left > 0 ? shown : `${shown}\n[too much output to show live]\n`)
  }
}

function ending(result: CommandResult, seconds: number, { signal, sandbox }: ToolContext): string {
  if (result.aborted) return `[Ended before it was done: ${String(signal.reason)}]`
  if (result.timedOut)
    return `[Ended after ${seconds} s, with every process it started. Give a longer timeout (600 at most) or set background.]`
  return endedAs(result, sandbox)
}

const endedAs = ({ exitCode, signal, over }: Ended, sandbox: Sandbox): string =>
  over !== undefined
    ? `[Ended with every process it started: ${tooMuch(boxOf(sandbox).caps)[over]}. Do the work in smaller parts.]`
    : exitCode === null
      ? `[ended by ${signal ?? 'an error'}]`
      : exitCode === 0
        ? ''
        : `[exit code ${exitCode}]`

const tooMuch = (caps: Caps) => ({
  memory: `together they took more than ${gibibytes(caps.memoryBytes)} of memory`,
  processes: `there were more than ${caps.processes} of them`,
})

function start(command: string, shut: Enclosed, context: ToolContext): ToolOutput {
  const running = runningBackground(context.sessionId).length
  const { release, ...shutIn } = shut
  const onEnded = releaseLater(shut, context)
  const place = { cwd: context.run?.folder ?? context.workspace, env: context.core.env, owner: context.sessionId }
  try {
    // A session that was closed meanwhile has nobody left to end the command.
    context.signal.throwIfAborted()
    const { id } = startBackground({ ...shutIn, command, onEnded, ...place })
    return { output: { id, running: running + 1 } }
  } catch (error) {
    release().catch(() => {})
    throw error
  }
}

function read(id: string, context: ToolContext): ToolOutput {
  const result = readBackground(id, { owner: context.sessionId, limit: OUTPUT_CHARS }) ?? unknown(id, context)
  const notes = [
    result.missed > 0 ? `[${result.missed} earlier characters were not kept]` : '',
    result.more ? '[There is more: read again.]' : '',
    result.ended === undefined ? '[still running]' : endedAs(result.ended, context.sandbox) || '[exit code 0]',
  ]
  return { output: joined(printable(result.output), notes.filter(Boolean).join('\n')) }
}

async function stop(id: string, context: ToolContext): Promise<ToolOutput> {
  if (!(await stopBackground(id, { owner: context.sessionId }))) unknown(id, context)
  return read(id, context)
}

function unknown(id: string, context: ToolContext): never {
  const running = runningBackground(context.sessionId)
  throw new AppError('tool.failed', `This session has no background command ${JSON.stringify(id)}.`, {
    hint:
      running.length > 0 ? `Running: ${running.join(', ')}.` : 'None is running; they end when the server restarts.',
  })
}

const joined = (output: string, note: string): string =>
  [output.trimEnd(), note].filter(Boolean).join('\n') || '[no output]'
