import { join } from 'node:path'
import type { Loaded, Question } from './job.ts'
import { loadBare, loadOurs } from './load.ts'

/** One process, one load of the whole history: `node child.ts '{"variant":"ours", …}'`. */
const question = JSON.parse(process.argv[2] ?? '{}') as Question
const server = question.variant === 'ours' ? await startOurs() : undefined

const cpu = process.cpuUsage()
const began = performance.now()
const messages = server === undefined ? loadBare(question) : await loadOurs(server.core, question)
const wallMs = performance.now() - began
const { user, system } = process.cpuUsage(cpu)

const chars = messages.flat().reduce((sum, { text = '' }) => sum + text.length, 0)
await server?.stop()
const loaded: Loaded = { cpuMs: (user + system) / 1000, wallMs, messages: messages.length, chars }
process.stdout.write(`${JSON.stringify(loaded)}\n`)

async function startOurs() {
  const { startServer } = await import('../../src/app.ts')
  const { folder } = question
  return startServer({ home: join(folder, 'home'), project: join(folder, 'project'), env: { HOME: folder }, port: 0 })
}
