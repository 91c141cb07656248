import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { AgentFile } from '../src/contract/agents.ts'
import { Settings } from '../src/contract/settings.ts'
import { ToolFile } from '../src/contract/tools.ts'

const root = dirname(import.meta.dirname)

/** The published JSON Schemas, for editors: path in the project to content. */
export const schemas: Record<string, string> = {
  'docs/schemas/agent.schema.json': publish(AgentFile, 'Troupe agent', 'agent.json of an agent, or its front matter.'),
  'docs/schemas/tool.schema.json': publish(ToolFile, 'Troupe tool', 'tool.json of a custom tool.'),
  'docs/schemas/settings.schema.json': publish(Settings, 'Troupe settings', 'settings.json and settings.local.json.'),
}

if (process.argv[1] === import.meta.filename) {
  for (const [path, text] of Object.entries(schemas)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
    console.log(`wrote ${path}`)
  }
}

// Draft 7 is what editors understand; files are JSON with comments.
function publish(schema: z.ZodType, title: string, description: string): string {
  const { $schema, ...rest } = z.toJSONSchema(schema, { target: 'draft-7', io: 'input' })
  return `${JSON.stringify({ $schema, title, description, allowTrailingCommas: true, ...rest }, null, 2)}\n`
}
