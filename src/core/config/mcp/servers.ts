import { basename, join } from 'node:path'
import type { Agent, AgentFile, Problem } from '../../../contract/agents.ts'
import { type McpInfo, McpName, McpServer } from '../../../contract/mcp.ts'
import { readSmall, sha256 } from '../../../lib/files/files.ts'
import { asObject } from '../../../lib/json.ts'
import { readJsonc } from '../../../lib/jsonc.ts'
import { type Project, problemsOf } from '../../base/index.ts'
import { effectiveSettings, isProjects, settingsWithSources } from '../settings/effective.ts'
import type { Sources } from '../settings/layers.ts'
import { isTrusted } from '../trust/trust.ts'

/** A server of the Model Context Protocol as it is written down. Nothing of it has run. */
export interface ConfiguredServer {
  readonly name: string
  readonly source: McpInfo['source']
  readonly file: string
  readonly config: McpServer
  /** It stands in the person's own files, so it may be at an address of this machine or of their network. */
  readonly personal: boolean
  /** Changes whenever anything about it does. */
  readonly digest: string
}

interface McpServers {
  readonly servers: readonly ConfiguredServer[]
  readonly problems: readonly Problem[]
}

const SERVERS = 50
const nothing: McpServers = { servers: [], problems: [] }

/** The servers of an agent, of the settings and of `.mcp.json`, in this order: the first of a name is it. */
export async function mcpServers(
  core: Sources,
  project: Project,
  agent?: Agent,
  definition: AgentFile | undefined = agent?.definition,
): Promise<McpServers> {
  const { settings } = await effectiveSettings(core, project)
  const shared = readSmall(join(project.path, '.mcp.json'), { root: project.path })
  const own = agent && definition?.mcpServers
  if (!own && !settings.mcpServers && !shared) return nothing
  const found = [
    ...(own ? ofAgent(agent, own) : []),
    ...(settings.mcpServers ? ofSettings(core, project, settings.mcpServers) : []),
    ...(shared ? ofProject(core, project, shared) : []),
  ]
  return firstOfEach(project, found)
}

/** Whether a server is still written down as it was when it was started. */
export async function isAsConfigured(
  core: Sources,
  project: Project,
  { name, digest }: ConfiguredServer,
  agent?: Agent,
  definition?: AgentFile,
): Promise<boolean> {
  const { servers } = await mcpServers(core, project, agent, definition)
  return servers.some((one) => one.name === name && one.digest === digest)
}

interface Written extends Pick<ConfiguredServer, 'name' | 'source' | 'file' | 'personal'> {
  readonly value: unknown
  /** Why nothing of it may be started. */
  readonly refused?: Problem
}

function ofAgent({ source, folder, name }: Agent, own: Record<string, unknown>): Written[] {
  const file = join(folder, basename(folder) === name ? 'agent.json' : `${name}.md`)
  return Object.entries(own).map(([server, value]) => ({
    name: server,
    value,
    file,
    source: 'agent',
    personal: source !== 'project',
  }))
}

function ofSettings(core: Sources, project: Project, own: Readonly<Record<string, McpServer>>): Written[] {
  const places = settingsWithSources(core, project)
  return Object.entries(own).map(([name, value]) => {
    const place = places.find(({ key }) => key === `mcpServers.${name}`)
    const source = place?.source ?? 'default'
    const personal = !isProjects(source)
    return { name, value, file: place?.file ?? source, source, personal }
  })
}

/** The file that several programs read. It is asked about like everything else of a project that acts. */
function ofProject(core: Sources, project: Project, file: NonNullable<ReturnType<typeof readSmall>>): Written[] {
  const at = { file: file.path, source: '.mcp.json' as const, personal: false }
  const { value, errors } = readJsonc(file)
  const broken = file.problem ?? (file.cut ? 'is too large' : errors[0])
  if (broken !== undefined)
    return [{ name: '', value: {}, ...at, refused: { file: file.path, message: `${broken}; no server of it is used` } }]
  const trusted = isTrusted(core, project)
  return Object.entries(asObject(asObject(value).mcpServers)).map(([name, server]) => ({
    name,
    value: known(server),
    ...at,
    ...(!trusted && { refused: untrusted(file.path, name) }),
  }))
}

/** Other programs have fields of their own there. */
function known(server: unknown): unknown {
  const fields = ['type', 'command', 'args', 'env', 'url', 'headers', 'enabled', 'startSeconds', 'timeoutSeconds']
  return Object.fromEntries(Object.entries(asObject(server)).filter(([field]) => fields.includes(field)))
}

const untrusted = (file: string, name: string): Problem => ({
  file,
  field: `mcpServers.${name}`,
  message: 'is not trusted, so the server is not started; look at it, then: troupe trust',
  needs: 'trust',
})

function firstOfEach(project: Project, found: readonly Written[]): McpServers {
  const servers = new Map<string, ConfiguredServer>()
  const problems: Problem[] = []
  for (const { value, refused, ...one } of found) {
    const field = `mcpServers.${one.name}`
    const before = servers.get(one.name)
    if (refused) problems.push(refused)
    else if (before)
      problems.push({ file: one.file, field, message: `is not used: ${before.file} has a server of that name` })
    else if (servers.size >= SERVERS)
      problems.push({ file: one.file, field, message: `is not used: there are ${SERVERS} servers already` })
    else {
      const checked = check(one.file, one.name, value)
      if ('config' in checked) servers.set(one.name, { ...one, ...checked, digest: digestOf(project, one, checked) })
      else problems.push(...checked.problems)
    }
  }
  return { servers: [...servers.values()], problems }
}

function check(file: string, name: string, value: unknown): { config: McpServer } | { problems: Problem[] } {
  const field = `mcpServers.${name}`
  const named = McpName.safeParse(name)
  if (!named.success) return { problems: [{ file, field, message: `its name ${named.error.issues[0]?.message}` }] }
  if (asObject(value).type === 'sse')
    return { problems: [{ file, field, message: 'speaks "sse", which is out of use; give its address for "http"' }] }
  const parsed = McpServer.safeParse(value)
  if (parsed.success) return { config: parsed.data }
  return { problems: problemsOf(file, parsed.error.issues).map((problem) => ({ ...problem, field })) }
}

const digestOf = ({ path }: Project, { name, personal }: Omit<Written, 'value'>, { config }: { config: McpServer }) =>
  sha256(JSON.stringify([path, name, personal, config]))
