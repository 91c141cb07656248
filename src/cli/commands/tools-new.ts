import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ToolFile, ToolName } from '../../contract/tools.ts'
import { troupe } from '../called.ts'
import type { Cli } from '../cli.ts'
import { connect } from '../connect.ts'
import { exits, Failure, usage } from '../failure.ts'
import { folderFor, type Where } from '../own-folder.ts'
import { paint, say, tell } from '../print.ts'

interface NewTool extends Where {
  readonly ts?: boolean
}

/** Makes a folder with a tool that works, for somebody to change. */
export async function makeTool(cli: Cli, name: string, where: NewTool): Promise<void> {
  const named = ToolName.safeParse(name)
  if (!named.success) throw usage(`"${name}" ${named.error.issues[0]?.message ?? 'cannot be used'}.`)
  await refuseBuiltIn(cli, name)
  const folder = join(await folderFor(cli, where, 'tools'), name)
  if (existsSync(folder))
    throw new Failure(exits.failed, `${folder} is there already.`, {
      hint: 'Choose another name, or change what is there.',
    })
  const files = { 'tool.json': definition(), 'tool.schema.json': schema(), ...code(where.ts ?? false) }
  mkdirSync(folder, { recursive: true })
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text, { flag: 'wx' })
  tell(cli, { folder, files: Object.keys(files) }, () => {
    for (const file of Object.keys(files)) say(`${paint('green', '+')} ${join(folder, file)}`)
    const inProject = !where.global && !folder.startsWith(cli.home)
    if (inProject) say(`\nIt runs once you trust the project as it is now: ${paint('bold', `${troupe} trust`)}`)
    say(`${inProject ? '' : '\n'}See it with: ${paint('bold', `${troupe} tools show ${name}${ofAgent(where)}`)}`)
  })
}

async function refuseBuiltIn(cli: Cli, name: string): Promise<void> {
  const tools = await (await connect(cli)).all('GET /api/tools', {})
  if (tools.some((tool) => tool.name === name && tool.source === 'built-in'))
    throw new Failure(exits.failed, `${name} is a built-in tool, and nothing takes its place.`, {
      hint: 'Choose another name.',
    })
}

const ofAgent = ({ agent }: Where): string => (agent === undefined ? '' : ` --agent ${agent}`)

function definition(): string {
  const fields: ToolFile = {
    $schema: './tool.schema.json',
    description: 'Says how many words a text has. Write here what yours does, for the model that calls it.',
    inputSchema: {
      type: 'object',
      properties: { text: { type: 'string', description: 'The text to count in' } },
      required: ['text'],
      additionalProperties: false,
    },
    capabilities: [],
    timeoutSeconds: 30,
    parallel: true,
    idempotent: true,
  }
  return `${JSON.stringify(fields, null, 2)}\n`
}

const code = (ts: boolean): Record<string, string> =>
  ts
    ? { 'index.ts': `${head}export default async ({ text }: { text: string }): Promise<object> => ${body}` }
    : { 'index.js': `${head}export default async ({ text }) => ${body}` }

const head = `// Called with the input and a context: sessionId, callId, agent, agentFolder, project, workspace.
// What it returns is the result; what it throws is an error that the model reads.
`
const body = '({ words: text.split(/\\s+/).filter(Boolean).length })\n'

/** Beside the tool, so that an editor can use it without a network. */
const schema = (): string => readFileSync(new URL('../../../docs/schemas/tool.schema.json', import.meta.url), 'utf8')
