import { type StartedServer, startServer } from '../../src/app.ts'
import type { SessionId } from '../../src/contract/ids.ts'
import type { Run } from '../../src/contract/runs.ts'
import { onSession } from '../../src/core/base/index.ts'
import { appendMessages, createSession } from '../../src/core/sessions/index.ts'
import { AGENT, furnish } from '../house.ts'
import { startVendor } from '../vendor.ts'
import { MESSAGES, NODES, textAt } from './job.ts'

const BATCH = 500
const LOOK_MS = 200

/** A server with one long conversation and one large board. */
export interface PageStage {
  readonly server: StartedServer
  readonly session: SessionId
  readonly run: string
  /** The address that signs a browser in at this view. */
  link(path: string): Promise<string>
  /** Appends a message; resolves with the time after its commit. */
  say(text: string): Promise<number>
  close(): Promise<void>
}

export async function setStage(folder: string): Promise<PageStage> {
  const vendor = await startVendor(new URL('./script.ts', import.meta.url).pathname)
  const server = await startServer({ ...furnish(folder, vendor.baseURL, []), env: { HOME: folder }, port: 0 })
  const { core } = server
  const call = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const headers = { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' }
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const answer = await fetch(server.url + path, { method, headers, ...sent })
    if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`)
    return (await answer.json()) as T
  }
  const { id } = await createSession(core, core.project, { agent: AGENT })
  const append = (texts: readonly string[], from = 1): Promise<unknown> =>
    onSession(core, id, 'bench', (tx, session) =>
      appendMessages(
        tx,
        session,
        texts.map((text, at) => line(text, from + at)),
      ),
    )
  for (let at = 0; at < MESSAGES; at += BATCH)
    await append(
      Array.from({ length: BATCH }, (_, place) => textAt(at + place)),
      at,
    )
  const limits = { maxNodes: NODES + 10 }
  const run = await call<Run>('POST', '/api/runs', { goal: 'Lay out', limits })
  const laidOut = async (): Promise<boolean> => {
    const { nodes } = await call<Run>('GET', `/api/runs/${run.id}`)
    return Object.values(nodes).reduce((sum, count) => sum + count, 0) >= NODES
  }
  while (!(await laidOut())) await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  return {
    server,
    session: id,
    run: run.id,
    link: async (path) =>
      `${server.url}${path}#code=${(await call<{ code: string }>('POST', '/api/devices/code')).code}`,
    async say(text) {
      await append([text])
      return performance.timeOrigin + performance.now()
    },
    async close() {
      await server.stop()
      await vendor.stop()
    },
  }
}

const line = (text: string, at: number) => ({
  ...(at % 2 === 0 ? { role: 'user' as const, from: { kind: 'human' as const } } : { role: 'assistant' as const }),
  parts: [{ type: 'text' as const, text }],
})
