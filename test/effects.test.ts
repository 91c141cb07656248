import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { AgentFile } from '../src/contract/agents.ts'
import { defaults, Settings } from '../src/contract/settings.ts'
import { findAgent } from '../src/core/config/agents/find.ts'
import { idleFields, idleFieldValues, idleInModes } from '../src/core/config/agents/no-effect.ts'
import { effectiveSettings } from '../src/core/config/settings/effective.ts'
import { idleSettings, idleValues } from '../src/core/config/settings/no-effect.ts'
import { makeFolders } from './kit/folders.ts'

/** Which code reads a key, and the words it does it with. What is in no such table is reported as having no effect yet. */
type Readers = Record<string, readonly [file: string, words: string]>

const accounts = 'runtimes/model/accounts.ts'
const providers = 'runtimes/model/vendors/providers.ts'
const catalogue = 'runtimes/model/catalogue.ts'

/** Each event has the same fields. */
const hookReaders = (): Readers => {
  const found = 'core/config/hooks/hooks.ts'
  const events = ['sessionStart', 'beforeTool', 'afterTool', 'turnEnd', 'taskEnd']
  return Object.fromEntries(
    events.flatMap((event): [string, Readers[string]][] => [
      [`hooks.${event}.command`, ['core/hooks/process.ts', 'hook.command, mark']],
      [`hooks.${event}.name`, [found, 'file.name']],
      [`hooks.${event}.timeoutSeconds`, [found, 'file.timeoutSeconds']],
      [`hooks.${event}.env`, [found, 'file.env']],
      ...(event.endsWith('Tool')
        ? [[`hooks.${event}.match`, ['core/hooks/chain.ts', 'hook.match']] as [string, Readers[string]]]
        : []),
    ]),
  )
}

const settingsReaders: Readers = {
  ...hookReaders(),
  $schema: ['core/config/settings/leaves.ts', "'$schema'"],
  defaultModel: ['core/sessions/details.ts', 'settings.defaultModel'],
  smallModel: ['core/turns/turn.ts', 'settings.smallModel'],
  'compaction.at': ['core/turns/compaction/due.ts', 'setup.compaction.at'],
  'compaction.keepTurns': ['core/turns/compaction/compact.ts', 'setup.compaction.keepTurns'],
  'providers.*.type': [providers, 'settings.type'],
  'providers.*.baseURL': [accounts, 'baseURL'],
  'providers.*.apiKey': [accounts, 'apiKey'],
  'providers.*.headers': [accounts, 'headers'],
  'providers.*.models': [providers, 'settings.models'],
  'providers.*.accounts.name': [accounts, 'name'],
  'providers.*.accounts.baseURL': [accounts, 'baseURL'],
  'providers.*.accounts.apiKey': [accounts, 'apiKey'],
  'providers.*.accounts.headers': [accounts, 'headers'],
  'providers.*.toolCalling': [providers, '{ toolCalling } = settings'],
  'providers.*.idleSeconds': [providers, 'settings.idleSeconds'],
  'providers.*.outageSeconds': [providers, 'settings.outageSeconds'],
  'providers.*.prices.*.input': [catalogue, 'price.input'],
  'providers.*.prices.*.output': [catalogue, 'price.output'],
  'providers.*.prices.*.cachedInput': [catalogue, 'price.cachedInput'],
  'providers.*.prices.*.contextWindow': ['runtimes/model/cost.ts', 'provider.prices[modelId]?.contextWindow'],
  'permissions.allow': ['core/permissions/sources.ts', '/^permissions\\.(allow|ask|deny)$/'],
  'permissions.ask': ['core/permissions/sources.ts', '/^permissions\\.(allow|ask|deny)$/'],
  'permissions.deny': ['core/permissions/sources.ts', '/^permissions\\.(allow|ask|deny)$/'],
  'permissions.unattended': ['core/mail/judge.ts', 'policyFor(chainId, permissions.unattended, away)'],
  'channels.to': ['core/channels/deliver.ts', 'settings.channels?.to'],
  'channels.away': ['core/channels/routing.ts', 'channels.away'],
  'channels.approvals': ['core/channels/deliver.ts', 'settings.channels?.approvals'],
  'routes.kinds': ['core/channels/routing.ts', 'kinds, projects, agents'],
  'routes.projects': ['core/channels/routing.ts', 'kinds, projects, agents'],
  'routes.agents': ['core/channels/routing.ts', 'kinds, projects, agents'],
  'routes.channels': ['core/channels/routing.ts', 'fitting.flatMap(({ channels })'],
  'questions.unattended': ['core/mail/questions.ts', 'settings.questions'],
  sandbox: ['core/permissions/sandbox.ts', 'settings.sandbox'],
  'limits.maxConcurrentTasks': ['core/tasks/slots.ts', 'settings.limits.maxConcurrentTasks'],
  'limits.maxConcurrentWorkers': ['core/runs/serve.ts', 'settings.limits.maxConcurrentWorkers'],
  ...Object.fromEntries(
    ['maxNodes', 'maxDepth', 'maxMessages', 'maxDurationSeconds', 'maxCostUsd'].map((limit) => [
      `limits.run.${limit}`,
      ['core/runs/run.ts', '...limits.run'],
    ]),
  ),
  'limits.maxConcurrentTurns': ['app.ts', 'settings.limits.maxConcurrentTurns'],
  'limits.maxIterations': [
    'core/turns/turn.ts',
    '{ maxIterations, maxDurationSeconds, dailyCostUsd } = settings.limits',
  ],
  'limits.maxDurationSeconds': [
    'core/turns/turn.ts',
    '{ maxIterations, maxDurationSeconds, dailyCostUsd } = settings.limits',
  ],
  'limits.maxCostUsd': ['core/turns/turn.ts', 'settings.limits.maxCostUsd'],
  'limits.dailyCostUsd': [
    'core/turns/turn.ts',
    '{ maxIterations, maxDurationSeconds, dailyCostUsd } = settings.limits',
  ],
  'limits.maxWaitSeconds': ['core/config/settings/effective.ts', 'settings.limits.maxWaitSeconds'],
  'loop.autoWakeBudget': ['core/sessions/sessions.ts', 'settings.loop.autoWakeBudget'],
  'loop.maxHops': ['core/mail/chains.ts', 'maxHops'],
  'loop.maxTasksPerChain': ['core/mail/chains.ts', 'maxTasksPerChain'],
  'store.url': ['app.ts', '{ url, durability } = settings.store'],
  'store.durability': ['app.ts', '{ url, durability } = settings.store'],
  'storage.backups': ['core/server/backups.ts', 'settings.storage.backups'],
  'storage.retention.sessions.maxAgeDays': ['core/server/retention.ts', 'sessions.maxAgeDays'],
  'storage.retention.sessions.maxCount': ['core/server/retention.ts', 'sessions.maxCount'],
  'storage.retention.tasks.maxAgeDays': ['core/server/retention.ts', 'tasks.maxAgeDays'],
  'storage.retention.tasks.maxCount': ['core/server/retention.ts', 'tasks.maxCount'],
  'storage.retention.events.maxAgeDays': ['core/server/retention.ts', 'events.maxAgeDays'],
  'storage.retention.events.maxCount': ['core/server/retention.ts', 'events.maxCount'],
  'memory.inlineBytes': ['core/turns/memory-told.ts', 'settings.memory.inlineBytes'],
  'memory.embeddings': ['core/memory/search.ts', '{ embeddings: model }'],
  'server.host': ['app.ts', 'settings.server.host'],
  'server.port': ['app.ts', 'settings.server.port'],
  'server.publicUrl': ['app.ts', 'settings.server.publicUrl'],
  'webSearch.provider': ['tools/web/web-search.ts', 'searchers[provider]'],
  'webSearch.apiKey': ['tools/web/web-search.ts', 'apiKey'],
  'webSearch.baseURL': ['tools/web/web-search.ts', 'baseURL'],
  'mcpServers.*.type': ['core/config/mcp/servers.ts', "type === 'sse'"],
  'mcpServers.*.command': ['core/config/mcp/references.ts', 'config.command'],
  'mcpServers.*.args': ['core/config/mcp/references.ts', 'config.args'],
  'mcpServers.*.env': ['core/config/mcp/references.ts', 'config.env'],
  'mcpServers.*.url': ['core/config/mcp/references.ts', 'config.url'],
  'mcpServers.*.headers': ['core/config/mcp/references.ts', 'config.headers'],
  'mcpServers.*.enabled': ['tools/mcp/mcp.ts', 'config.enabled'],
  'mcpServers.*.startSeconds': ['tools/mcp/servers.ts', 'config.startSeconds'],
  'mcpServers.*.timeoutSeconds': ['tools/mcp/tools.ts', 'config.timeoutSeconds'],
}

const turn = 'core/turns/turn.ts'
const model = 'core/turns/model.ts'

const agentReaders: Readers = {
  ...hookReaders(),
  $schema: ['core/config/agents/acting.ts', "'$schema'"],
  name: ['core/config/agents/load.ts', 'definition?.name'],
  displayName: ['core/config/agents/load.ts', 'definition.displayName'],
  description: ['core/config/agents/load.ts', 'definition.description'],
  mcpServers: ['core/config/mcp/servers.ts', 'definition?.mcpServers'],
  model: ['core/sessions/details.ts', 'definition.model'],
  fallbackModels: ['core/turns/plan.ts', 'definition.fallbackModels'],
  temperature: [model, 'maxOutputTokens, temperature, reasoning } = setup.definition'],
  maxOutputTokens: [model, 'maxOutputTokens, temperature, reasoning } = setup.definition'],
  reasoning: [model, 'maxOutputTokens, temperature, reasoning } = setup.definition'],
  'runtime.kind': ['core/config/runtimes.ts', 'runtime?.kind'],
  'tools.allow': ['core/permissions/scope.ts', 'definition.tools'],
  toolExposure: ['core/turns/turn.ts', 'definition.toolExposure'],
  'tools.deny': ['core/permissions/scope.ts', 'definition.tools'],
  'capabilities.allow': ['core/permissions/scope.ts', 'definition.capabilities'],
  'capabilities.deny': ['core/permissions/scope.ts', 'definition.capabilities'],
  'agents.allow': ['core/permissions/makers.ts', 'agents?.allow'],
  'agents.deny': ['core/permissions/makers.ts', 'agents?.deny'],
  'skills.allow': ['core/skills/find.ts', '{ allow, deny = [] } = definition?.skills'],
  'skills.deny': ['core/skills/find.ts', '{ allow, deny = [] } = definition?.skills'],
  'skills.autoLoad': ['core/skills/listing.ts', 'choice?.autoLoad'],
  'skills.discovery': ['core/skills/listing.ts', 'choice?.discovery'],
  visible: ['cli/chat/switching.ts', 'definition.visible'],
  'permissions.allow': ['core/mail/judge.ts', 'definition.permissions'],
  'permissions.ask': ['core/mail/judge.ts', 'definition.permissions'],
  'permissions.deny': ['core/mail/judge.ts', 'definition.permissions'],
  'limits.maxIterations': [turn, 'limits.maxIterations'],
  'limits.maxDurationSeconds': [turn, 'limits.maxDurationSeconds'],
  'limits.maxCostUsd': [turn, 'limits.maxCostUsd'],
  'limits.dailyCostUsd': [turn, 'limits.dailyCostUsd'],
  'limits.maxSpawnDepth': ['core/tasks/spawn.ts', 'limits?.maxSpawnDepth'],
  'delegate.allow': ['core/permissions/makers.ts', 'delegate?.allow'],
  'workspace.path': ['core/config/workspaces.ts', 'workspace.path'],
  'workspace.shared': ['core/sessions/place.ts', 'workspace.shared'],
  'modes.*.enabled': ['core/config/agents/find.ts', 'overrideFor(modes, mode)?.enabled'],
}

interface Schema {
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly additionalProperties?: Schema | boolean
}

/** Every key a file may have, dotted; `*` is any name. */
function keysOf(schema: Schema, path = ''): string[] {
  const below = (name: string): string => (path === '' ? name : `${path}.${name}`)
  const { anyOf, oneOf = anyOf, properties, items, additionalProperties: named } = schema
  if (oneOf) return [...new Set(oneOf.flatMap((one) => keysOf(one, path)))]
  if (properties) return Object.entries(properties).flatMap(([name, each]) => keysOf(each, below(name)))
  if (items?.properties) return keysOf(items, path)
  if (typeof named === 'object' && (named.properties ?? named.anyOf)) return keysOf(named, below('*'))
  return [path]
}

const keys = (schema: z.ZodType): string[] => keysOf(z.toJSONSchema(schema, { io: 'input' }) as Schema)

const isReported = (key: string, fields: readonly string[]): boolean =>
  fields.some((field) => key === field || key.startsWith(`${field}.`))

function unread(readers: Readers, all: readonly string[], reported: readonly string[]): string[] {
  return all.filter((key) => {
    const [file, words] = readers[key] ?? []
    if (file === undefined || words === undefined) return !isReported(key, reported)
    return !readFileSync(resolve(import.meta.dirname, '../src', file), 'utf8').includes(words)
  })
}

test('every setting is read by code that is named here, or reported as having no effect yet', () => {
  const all = keys(Settings)
  const reported = [...Object.keys(idleSettings), ...Object.keys(idleValues)]
  expect(all.length).toBeGreaterThan(30)
  expect(unread(settingsReaders, all, reported)).toEqual([])
  expect(Object.keys(settingsReaders).filter((key) => !all.includes(key) || key in idleSettings)).toEqual([])
  expect(reported.filter((key) => !all.includes(key))).toEqual([])
})

test('every field of a definition is read by code that is named here, or reported as having no effect yet', () => {
  const all = keys(AgentFile)
  const reported = [...Object.keys(idleFields), ...Object.keys(idleFieldValues)]
  expect(all.length).toBeGreaterThan(60)
  const inModes = { ...agentReaders }
  for (const [key, reader] of Object.entries(agentReaders)) {
    if (!isReported(key, Object.keys(idleInModes))) inModes[`modes.*.${key}`] = reader
  }
  const everywhere = [...reported, ...[...reported, ...Object.keys(idleInModes)].map((field) => `modes.*.${field}`)]
  expect(unread(inModes, all, everywhere)).toEqual([])
  expect(Object.keys(agentReaders).filter((key) => !all.includes(key) || key in idleFields)).toEqual([])
})

const settingsWithoutEffect = {
  limits: { maxIterations: 3 },
  titles: 'model',
}
const reports = ['titles']

test('a setting without effect is reported with its file, wherever it is set, and only where it is set', async () => {
  const folders = makeFolders()
  const problems = async () => (await effectiveSettings(folders.core, folders.project)).problems
  folders.putHome('settings.json', { ...defaults })
  const whole = (await problems()).map(({ field }) => field)
  expect(whole).toEqual([])
  const file = folders.putHome('settings.json', settingsWithoutEffect)
  const found = await problems()
  expect(found.map(({ field }) => field).sort()).toEqual(reports)
  expect(found.every((problem) => problem.file === file && /^has no effect yet: /.test(problem.message))).toBe(true)
  folders.putHome('settings.json', { titles: 'first-line', limits: { maxIterations: 3 } })
  expect(await problems()).toEqual([])
  folders.put('.troupe/settings.json', { titles: 'model' })
  expect(await problems()).toMatchObject([{ field: 'titles' }])

  const given = makeFolders({ flags: { titles: 'model' } })
  expect((await effectiveSettings(given.core, given.project)).problems).toMatchObject([
    { file: 'command line', field: 'titles' },
  ])
})

test('a field without effect is reported, in the definition and in its modes, and the agent works all the same', async () => {
  const folders = makeFolders()
  const idle = {
    mcpServers: {},
    limits: { maxIterations: 3 },
    workspace: { path: '.', repos: ['a'] },
    icon: 'i',
    color: 'c',
  }
  const file = folders.putHome('agents/poet/agent.json', {
    ...idle,
    modes: { task: { workspace: 'worktree', displayName: 'x', runtime: { kind: 'model' } } },
  })
  const { problems, broken } = await findAgent(folders.core, folders.project, 'poet')
  expect(broken).toBe(false)
  expect(problems.map(({ field }) => field).sort()).toEqual(
    [...['color', 'icon', 'workspace.repos'], ...['modes.task.workspace', 'modes.task.displayName']].sort(),
  )
  expect(problems.every((problem) => problem.file === file && /^has no effect yet: /.test(problem.message))).toBe(true)
})
