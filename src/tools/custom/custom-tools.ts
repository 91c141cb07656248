import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { AppError } from '../../contract/errors.ts'
import type { Core, Tool, ToolContext, ToolOutput, ToolSource, ToolsFound } from '../../core/base/index.ts'
import { type CustomTool, customTools, isAsRead } from '../../core/config/index.ts'
import { boxOf } from '../../core/permissions/index.ts'
import { whereOf } from '../../core/sessions/index.ts'
import { isInside, realPath, sha256 } from '../../lib/files/files.ts'
import { LEVELS } from '../../lib/json.ts'
import { gibibytes } from '../../lib/process/caps.ts'
import { type Dialogue, startDialogue } from '../../lib/process/dialogue.ts'
import { innerFolder } from '../../lib/sandbox/mounts.ts'
import type { Box } from '../../lib/sandbox/sandbox.ts'
import { asSentence, printable } from '../../lib/text.ts'
import { releaseLater, shutIn, unstarted } from '../shell/shut-in.ts'
import { type Children, createChildren } from './children.ts'

const TIMEOUT_SECONDS = 30
const ANSWER_CHARS = 1_000_000
const OUTPUT_CHARS = 16_000_000
const LIVE_CHARS = 100_000
const MEMORY_BYTES = 1024 ** 3
const PROCESSES = 200
const KEPT = 1000

const program = fileURLToPath(new URL('./child.ts', import.meta.url))

/** The tools that people write: folders of the agent, the project and the person, each with a function in a process of its own. */
export function createCustomTools(): ToolSource {
  const children = createChildren()
  const made = new Map<string, { from: CustomTool; tool: Tool }>()
  const results = new Map<string, { key: string; found: ToolsFound }>()

  function toolOf(from: CustomTool): Tool {
    const known = made.get(from.folder)
    if (known?.from.digest === from.digest && known.from.source === from.source) return known.tool
    const tool = asTool(from, children)
    keep(made, from.folder, { from, tool })
    return tool
  }

  return {
    toolsFor(core, { project, agent }) {
      const { tools, problems } = customTools(core, project, agent)
      if (tools.length + problems.length === 0) return none
      const place = `${project.path}\0${agent?.folder ?? ''}\0${agent?.name ?? ''}`
      const key = JSON.stringify([tools.map(({ folder, digest }) => [folder, digest]), problems])
      const known = results.get(place)
      if (known?.key === key) return known.found
      const found = { tools: tools.map(toolOf), problems }
      keep(results, place, { key, found })
      return found
    },
    close: () => children.close(),
  }
}

const none: ToolsFound = { tools: [], problems: [] }

function keep<T>(kept: Map<string, T>, key: string, value: T): void {
  kept.delete(key)
  kept.set(key, value)
  if (kept.size > KEPT) kept.delete(kept.keys().next().value ?? key)
}

function asTool(from: CustomTool, children: Children): Tool {
  const { name, source, folder, definition } = from
  return {
    name,
    description: definition.description,
    input: { jsonSchema: definition.inputSchema ?? definition.input_schema ?? { type: 'object', properties: {} } },
    // Nobody knows what its code does, so it counts as a command unless it says what it needs.
    capabilities: definition.capabilities ?? ['shell'],
    parallel: definition.parallel ?? false,
    idempotent: definition.idempotent ?? false,
    maxOutputChars: 20_000,
    startsProgram: true,
    origin: { source, place: folder },
    run: (input, context) => run(from, input, context, children),
  }
}

async function run(from: CustomTool, input: unknown, context: ToolContext, children: Children): Promise<ToolOutput> {
  const { core, sessionId, callId, agent, project, workspace, signal } = context
  mustBeAsRead(core, from, context)
  core.security('tool', whereOf(sessionId, agent.name), `${from.name} (${from.folder})`)
  const seconds = from.definition.timeoutSeconds ?? from.definition.timeout ?? TIMEOUT_SECONDS
  const about = { sessionId, callId, agent: agent.name, agentFolder: agent.folder, project: project.path, workspace }
  const box = boxOf(context.sandbox)
  const wanted = {
    tool: from.folder,
    version: from.digest,
    key: keyOf(context, box),
    signal,
    start: () => start(from, context, box),
  }
  const ask = () =>
    children.use(wanted, async (dialogue, drop) => {
      const question = { ask: { input, context: about }, timeoutMs: seconds * 1000, signal, onOutput: live(context) }
      const told = await dialogue.ask(question)
      if (isSpoiled(told)) drop()
      return told
    })
  const first = await ask()
  // What an earlier call left failed in between; this one has not begun.
  const told = isSpoiled(first) ? await ask() : first
  if ('answer' in told) return outputOf(from, told.answer)
  if (told.failed === 'aborted') throw signal.reason
  const { exitCode, signal: killed, over } = told.ended
  const ending = {
    timeout: `took longer than ${seconds} s and was ended, with every process it started`,
    output: `printed more than ${OUTPUT_CHARS / 1_000_000} MB and was ended`,
    answer: `answered with something that is no result, too long for one, or nested deeper than ${LEVELS} levels, and was ended`,
    ended:
      over === undefined
        ? `ended without an answer (${exitCode === null ? `by ${killed ?? 'an error'}` : `exit code ${exitCode}`})`
        : `took more than it may (${over === 'memory' ? gibibytes(MEMORY_BYTES) : `${PROCESSES} processes`}) and was ended`,
  }[told.failed]
  throw failure(`The tool ${from.name} ${ending}; what it did until then may have taken effect.`)
}

const isSpoiled = (told: object): boolean =>
  'answer' in told && (told.answer as { again?: unknown } | null)?.again === true

/** One byte changed, or trust taken back: then it is not run as what it was. */
function mustBeAsRead(core: Core, from: CustomTool, { project }: ToolContext): void {
  if (isAsRead(core, project, from)) return
  core.security('tool', from.folder, `${from.name} has changed, or is not trusted any more; it was not run`)
  throw new AppError('tool.failed', `The tool ${from.name} has changed since it was read; it was not run.`, {
    hint: 'It is read again at the next turn; in a project the person has to trust it again.',
  })
}

function outputOf({ name }: CustomTool, answer: unknown): ToolOutput {
  const { result, threw, unloadable } = (answer ?? {}) as { result?: unknown; threw?: unknown; unloadable?: unknown }
  if (unloadable !== undefined)
    throw new AppError(
      'tool.failed',
      `The tool ${name} cannot be loaded: ${asSentence(printable(String(unloadable)))}`,
      {
        hint: 'Only its author can repair it; tell the person, and go another way.',
      },
    )
  if (threw !== undefined) throw failure(`The tool ${name} failed: ${asSentence(printable(String(threw)))}`)
  if (result === null || result === undefined) return { output: '[no output]' }
  return { output: typeof result === 'string' ? printable(result) : result }
}

const failure = (message: string): AppError =>
  new AppError('tool.failed', message, { hint: 'Correct the input or go another way; do not repeat the same call.' })

/** For whom it works and how it is shut in. */
function keyOf({ sessionId, agent }: ToolContext, box: Box): string {
  const { workspace, mode, hidden, readOnly, hosts } = box
  return sha256(JSON.stringify([sessionId, agent.folder, workspace, mode, hidden, readOnly, hosts]))
}

async function start(from: CustomTool, context: ToolContext, box: Box): Promise<Dialogue> {
  const { core } = context
  // The person's own tools lie in the data folder, which no program sees.
  const folder = realPath(from.folder)
  const apart = box.mode !== 'off' && isInside(folder, realPath(core.home))
  const file = apart ? join(innerFolder, relative(from.folder, from.entry)) : from.entry
  const caps = {
    ...box.caps,
    memoryBytes: Math.min(box.caps.memoryBytes, MEMORY_BYTES),
    processes: Math.min(box.caps.processes, PROCESSES),
  }
  try {
    // Wherever troupe is installed, its part in the process must be seen.
    const readable = [...box.readable, realPath(dirname(program)), realPath(process.execPath)]
    const own = { ...box, readable, lasting: true, caps, ...(apart && { shown: folder }) }
    const shut = await shutIn([process.execPath, program], context, own)
    const { release: _, ...shutInside } = shut
    const given = Object.fromEntries((from.definition.env ?? []).map((name) => [name, core.env[name]]))
    const dialogue = startDialogue({
      ...shutInside,
      // Node asks the proxy of a strict sandbox only when it is told to.
      declared: { NODE_USE_ENV_PROXY: '1', ...given, ...shut.declared },
      cwd: context.workspace,
      env: core.env,
      opening: { file, answerChars: ANSWER_CHARS },
      answerChars: ANSWER_CHARS + 1000,
      outputChars: OUTPUT_CHARS,
    })
    const release = releaseLater(shut, context)
    dialogue.ended
      .finally(release)
      .catch((error) => core.log('error', 'what a tool left was not looked at', { error: String(error) }))
    return dialogue
  } catch (error) {
    throw unstarted(error)
  }
}

function live({ output }: ToolContext): (text: string) => void {
  let left = LIVE_CHARS
  return (text) => {
    if (left <= 0) return
    output(printable(text.slice(0, left)))
    left -= text.length
  }
}
