import { appendFileSync } from 'node:fs'
import { z } from 'zod'
import { startServer } from '../../src/app.ts'
import type { Tool } from '../../src/core/base/tool.ts'
import { deliver } from '../../src/core/mail/deliver.ts'
import { defineTool } from '../../src/core/permissions/judge.ts'
import { createSession } from '../../src/core/sessions/sessions.ts'
import { builtInTools } from '../../src/tools/index.ts'
import { AGENT, furnish } from '../house.ts'
import { watchTurns } from '../turn/ended.ts'
import { notedFile, TALKS, TOOL, textOf } from './job.ts'

/** `node child.ts <folder> <vendor>`: says a line at its first call, and works in several sessions until killed. */
const [folder = '', vendor = ''] = process.argv.slice(2)
let spoken = false

/** Its line in the file proves that the call had its effect. */
const note: Tool = defineTool({
  name: TOOL,
  description: 'Note a number.',
  input: z.strictObject({ n: z.int() }),
  capabilities: [],
  parallel: true,
  async run({ n }) {
    appendFileSync(notedFile(folder), `${n}\n`)
    if (!spoken) process.stdout.write('working\n')
    spoken = true
    return { output: textOf(n) }
  },
})

const tools = [...builtInTools, note]
const server = await startServer({ ...furnish(folder, vendor, [TOOL]), env: { HOME: folder }, port: 0, tools })
const { core } = server

const turns = watchTurns(core)
for (let at = 0; at < TALKS; at++) void talk()

async function talk(): Promise<never> {
  const { id } = await createSession(core, core.project, { agent: AGENT })
  for (;;) {
    const ended = turns.next(id)
    await deliver(core, { to: id, from: { kind: 'human' }, content: 'Note some numbers.' })
    await ended
  }
}
