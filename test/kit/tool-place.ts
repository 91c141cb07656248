import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Agent } from '../../src/contract/agents.ts'
import type { Core } from '../../src/core/base/core.ts'
import { createBus } from '../../src/core/base/events.ts'
import type { Park, Tool, ToolContext, ToolOutput } from '../../src/core/base/tool.ts'
import { runTool } from '../../src/core/permissions/judge.ts'
import { newSession } from '../../src/core/sessions/sessions.ts'
import { createTokens } from '../../src/core/sessions/tokens.ts'
import { findRipgrep } from '../../src/lib/files/ripgrep.ts'
import { hex } from '../../src/lib/ids.ts'
import { noLog } from '../../src/lib/log.ts'
import type { Mask } from '../../src/lib/mask.ts'
import { commandCaps } from '../../src/lib/process/caps.ts'
import { noGit } from '../../src/lib/sandbox/box.ts'
import { openSqlite } from '../../src/store/drivers/sqlite.ts'
import { findSession, insertSession } from '../../src/store/sessions.ts'
import { builtInTools } from '../../src/tools/index.ts'
import { putSqlite } from './database.ts'
import { makeFolder, putFile } from './files.ts'

export const hasRipgrep = findRipgrep(process.env) !== undefined
if (!hasRipgrep) console.warn('ripgrep is not installed: grep is tested with its own search only')

export interface ToolPlace {
  readonly workspace: string
  /** A folder beside the workspace. */
  readonly outside: string
  readonly home: string
  readonly live: string[]
  put(path: string, content: string | Uint8Array): string
  putOutside(path: string, content: string): string
  call(tool: string, input: unknown, more?: Partial<ToolContext>): Promise<ToolOutput & { output: string }>
  callRaw(tool: string, input: unknown, more?: Partial<ToolContext>): Promise<ToolOutput | Park>
}

/** A workspace in a temporary folder, and tools run in it as the loop runs them, after permission. */
export function makeToolPlace(
  given: { env?: Record<string, string>; core?: Core; home?: string; mask?: Mask } = {},
): ToolPlace {
  const root = makeFolder()
  const [workspace, outside] = [join(root, 'work'), join(root, 'elsewhere')]
  const home = given.home === undefined ? join(root, 'home') : join(root, given.home)
  for (const folder of [workspace, outside, home]) mkdirSync(folder, { recursive: true })
  const env = { PATH: process.env.PATH ?? '', ...given.env }
  const address = { tokenOf: createTokens(hex(32)).tokenOf, url: () => 'http://127.0.0.1:9' }
  const clock = { now: () => 1_000_000 }
  const sessionId = hex()
  const mask = given.mask ?? ((text: string) => text)
  const parts = { home, env, flags: {}, log: noLog, clock, mask, host: 'here', bus: createBus(), security: () => {} }
  const opening = given.core ?? openCore({ ...parts, ...address })
  const live: string[] = []

  const callRaw: ToolPlace['callRaw'] = async (name, input, more) => {
    const core = await opening
    await addSession(core, more?.sessionId ?? sessionId)
    const context: ToolContext = {
      core,
      callId: `call_${hex(8)}`,
      sessionId,
      agent: { name: 'tester' } as Agent,
      definition: {},
      chain: { id: 'chain', hops: 0 },
      deadline: Number.POSITIVE_INFINITY,
      permits: () => false,
      project: { id: 'p', path: workspace },
      workspace,
      reach: [],
      unattended: 'wait',
      hidden: [],
      sandbox: { ...openBox, workspace, home },
      signal: new AbortController().signal,
      output: (text) => live.push(text),
      ...more,
    }
    return runTool(toolNamed(name), input, context, () => {})
  }

  return {
    workspace,
    outside,
    home,
    live,
    put: (path, content) => putFile(join(workspace, path), content),
    putOutside: (path, content) => putFile(join(outside, path), content),
    callRaw,
    call: async (name, input, more) => (await callRaw(name, input, more)) as ToolOutput & { output: string },
  }
}

/** A core with a real store, because tools remember there which files a session saw. */
async function openCore(parts: Partial<Core> & Pick<Core, 'home' | 'clock'>): Promise<Core> {
  const file = join(parts.home, 'data.db')
  await putSqlite(file)
  const store = await openSqlite({ file, durability: 'process', now: parts.clock.now })
  onTestFinished(() => store.close())
  return { ...parts, store } as Core
}

async function addSession({ store, home }: Core, id: string): Promise<void> {
  const fresh = newSession({ id: 'p', path: home }, { agent: 'tester' }, 0, {
    workspace: home,
    wakeBudget: 0,
    host: null,
    moves: 0,
  })
  await store.write(async (db) => {
    if (!(await findSession(db, id))) await insertSession(db, { ...fresh, id })
  })
}

/** There is no sandbox, so that the tests see what the tools themselves prevent. */
const openBox = {
  mode: 'off',
  userHome: undefined,
  caps: commandCaps,
  writable: [],
  readable: [],
  hidden: [],
  readOnly: [],
  git: noGit,
  permits: () => false,
  lasting: false,
  owner: '',
  hosts: [],
  server: '',
  socket: undefined,
  watched: '',
  aside: '',
} as const

function toolNamed(name: string): Tool {
  const tool = builtInTools.find((candidate) => candidate.name === name)
  if (tool === undefined) throw new Error(`no tool ${name}`)
  return tool
}
