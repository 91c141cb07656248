import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { startServer } from '../../src/app.ts'
import type { Board, Run } from '../../src/contract/runs.ts'
import type { SessionContext } from '../../src/contract/session-parts.ts'
import type { Session } from '../../src/contract/sessions.ts'
import type { Tool, ToolSource } from '../../src/core/base/index.ts'
import { inFolder } from '../folder.ts'
import type { Options, Row } from '../suite.ts'

const SERVED = 500
const PER_SERVER = 50

/** Tokens of what every request carries before anybody has said a word: the system prompt and the schemas of tools. */
export interface Fixed {
  readonly prompt: number
  readonly schemas: number
}

/** What a task may take, and how much more with five hundred tools of servers. */
const TASK_GOAL = 2500
const SERVED_GOAL = 1000
const COORDINATOR_GOAL = 3600

export async function prompt({ progress }: Options): Promise<Row[]> {
  const rows: Row[] = []
  for (const [mode, agent] of [
    ['chat', 'assistant'],
    ['task', 'assistant'],
    ['task', 'coordinator'],
  ] as const) {
    const plain = await fixedPart(agent, mode)
    const served = await fixedPart(agent, mode, [servers()])
    const more = sum(served) - sum(plain)
    const label = `${agent}, ${mode}`
    progress(`${label}: ${plain.prompt} prompt, ${plain.schemas} schemas; ${more} more with ${SERVED} tools`)
    rows.push(
      row(`${label}, all built-in tools`, sum(plain), mode === 'task' ? TASK_GOAL : undefined),
      row(`${label}, ${SERVED} tools of servers more`, more, SERVED_GOAL),
    )
  }
  const { coordinator, worker } = await fixedInRun()
  progress(`in a run: coordinator ${sum(coordinator)}, worker ${sum(worker)}`)
  return [
    ...rows,
    row('coordinator in a run, all its tools', sum(coordinator), COORDINATOR_GOAL),
    row('worker in a run, all its tools', sum(worker), TASK_GOAL),
  ]
}

export const sum = ({ prompt, schemas }: Fixed): number => prompt + schemas

const row = (label: string, tokens: number, most: number | undefined): Row => ({
  label,
  unit: 'tokens',
  digits: 0,
  rounds: { ours: [tokens] },
  ...(most === undefined ? {} : { most }),
})

/** Of a session that has not begun, in a project without files. Estimated as a token for four characters. */
export const fixedPart = (
  agent: string,
  mode: 'chat' | 'task',
  toolSources: readonly ToolSource[] = [],
): Promise<Fixed> =>
  withServer({ toolSources }, async (ask) => {
    const body = JSON.stringify({ agent, mode, model: 'demo/demo' })
    const { id } = await ask<Session>('/api/sessions', { method: 'POST', body })
    return fixedOf(ask, id)
  })

/** Of the members of a run, with the tools they have there: the demo plays it until a worker waits for the person. */
export const fixedInRun = (): Promise<{ coordinator: Fixed; worker: Fixed }> =>
  withServer({}, async (ask) => {
    const body = JSON.stringify({ goal: 'Find a way', model: 'demo/demo' })
    const run = await ask<Run>('/api/runs', { method: 'POST', body })
    for (;;) {
      const { workers } = await ask<Board>(`/api/runs/${run.id}/board`)
      const waiting = workers.find(({ agent, status }) => agent === 'assistant' && status === 'waiting')
      if (waiting?.sessionId)
        return { coordinator: await fixedOf(ask, run.sessionId), worker: await fixedOf(ask, waiting.sessionId) }
      await pause(LOOK_MS)
    }
  })

type Ask = <T>(path: string, init?: RequestInit) => Promise<T>

const LOOK_MS = 50

async function fixedOf(ask: Ask, session: string): Promise<Fixed> {
  const { parts } = await ask<SessionContext>(`/api/sessions/${session}/context`)
  const tokens = (name: string): number => parts.find(({ part }) => part === name)?.tokens ?? Number.NaN
  return { prompt: tokens('system prompt'), schemas: tokens('tools') }
}

const withServer = <T>(options: { toolSources?: readonly ToolSource[] }, use: (ask: Ask) => Promise<T>): Promise<T> =>
  inFolder(async (folder) => {
    const [home, project] = [join(folder, 'home'), join(folder, 'project')]
    mkdirSync(project, { recursive: true })
    const env = { PATH: process.env.PATH, TROUPE_DEMO_DELAY_MS: '0' }
    const server = await startServer({ home, project, env, port: 0, ...options })
    const headers = { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' }
    try {
      return await use(async (path, init = {}) => {
        const answer = await fetch(`${server.url}${path}`, { headers, ...init })
        if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
        return (await answer.json()) as never
      })
    } finally {
      await server.stop()
    }
  })

/** Ten servers with fifty tools each, as large as those of servers usually are. */
export function servers(count = SERVED): ToolSource {
  const tools = Array.from({ length: count }, (_, at) => served(`server${Math.floor(at / PER_SERVER)}`, at))
  const found = { tools, problems: [] }
  return { toolsFor: () => found }
}

const served = (group: string, at: number): Tool => ({
  name: `${group}_create_or_update_entry_${at}`,
  description: `Creates or updates entry ${at} of the register and returns it with all its fields, as the server keeps it.`,
  input: {
    jsonSchema: {
      type: 'object',
      properties: {
        owner: { type: 'string', description: 'Whose register it is' },
        title: { type: 'string', description: 'The title of the entry' },
        labels: { type: 'array', items: { type: 'string' }, description: 'Labels to put on it' },
      },
      required: ['owner', 'title'],
    },
  },
  capabilities: ['net'],
  parallel: true,
  idempotent: false,
  maxOutputChars: 20_000,
  origin: { source: 'mcp', place: group, group },
  run: async () => ({ output: '' }),
})
