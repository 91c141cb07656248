import { z } from 'zod'
import { ModelName, PermissionRules, Problem } from './agents.ts'
import { ChannelRoute, Channels } from './channels.ts'
import { HooksFile } from './hook-file.ts'
import { Seconds } from './ids.ts'
import { McpName, McpServer } from './mcp.ts'
import { RUN_DEFAULTS, RunLimits } from './runs.ts'
import { Questions, Unattended } from './sessions.ts'

export const ProviderType = z.enum([
  'anthropic',
  'openai',
  'google',
  'openrouter',
  'openai-compatible',
  'demo',
  'replay',
])
export type ProviderType = z.infer<typeof ProviderType>

const address = {
  baseURL: z.url().optional(),
  /** "$NAME" reads the environment variable NAME. */
  apiKey: z.string().optional(),
  headers: z.record(z.string(), z.string()).optional(),
}

/** One of several sets of credentials for a provider; what it leaves out comes from the provider. */
export const AccountSettings = z.strictObject({
  name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'must be lowercase letters, digits and dashes'),
  ...address,
})
export type AccountSettings = z.infer<typeof AccountSettings>

const usd = z.number().min(0)

/** What a model costs, in USD per million tokens, and how much it reads at once. */
export const ModelPrice = z
  .strictObject({
    input: usd.optional(),
    output: usd.optional(),
    cachedInput: usd.optional(),
    contextWindow: z.int().positive().optional(),
  })
  .refine(({ input, output }) => (input === undefined) === (output === undefined), 'needs both input and output')
export type ModelPrice = z.infer<typeof ModelPrice>

const ToolCalling = z.enum(['native', 'text'])

export const ProviderSettings = z.strictObject({
  type: ProviderType.optional(),
  ...address,
  models: z.array(z.string()).optional(),
  accounts: z
    .array(AccountSettings)
    .max(50)
    .refine((list) => new Set(list.map(({ name }) => name)).size === list.length, 'has a name twice')
    .optional()
    .describe('Several keys, used in this order; an apiKey beside them is the account "default".'),
  toolCalling: z
    .union([ToolCalling, z.record(z.string(), ToolCalling)])
    .optional()
    .describe('"text" for models without tool calls: all of them, or by model.'),
  idleSeconds: z.number().positive().max(3600).optional().describe('A stream silent for longer is cut (120).'),
  outageSeconds: z
    .number()
    .min(0)
    .max(86_400)
    .optional()
    .describe('How long a turn waits while the vendor fails, cannot be reached or takes no more requests (1200).'),
  prices: z.record(z.string(), ModelPrice).optional().describe('By model; stronger than the catalogue.'),
})
export type ProviderSettings = z.infer<typeof ProviderSettings>

/** Who searches the web for agents. A server that answers in the format of one of these can be named by baseURL. */
export const WebSearchSettings = z
  .strictObject({
    provider: z.enum(['brave', 'tavily', 'serper', 'searxng']),
    apiKey: address.apiKey.describe('"$NAME" reads the environment variable NAME.'),
    baseURL: address.baseURL.describe('Needed for searxng; for the others their own address.'),
  })
  .refine(({ provider, baseURL }) => provider !== 'searxng' || baseURL !== undefined, {
    error: 'is needed for searxng: the address of your server',
    path: ['baseURL'],
  })
export type WebSearchSettings = z.infer<typeof WebSearchSettings>

const count = z.int().positive()

const Retention = z.strictObject({ maxAgeDays: count.max(36_500).optional(), maxCount: count.optional() })

export const Settings = z.strictObject({
  $schema: z.string().optional(),
  defaultModel: ModelName.optional(),
  smallModel: ModelName.optional().describe(
    "Sums up what a session no longer reads; unless it is set, the session's own model does.",
  ),
  providers: z
    .record(z.string().regex(/^[a-z0-9-]+$/, 'must be lowercase letters, digits and dashes'), ProviderSettings)
    .optional(),
  permissions: z.strictObject({ ...PermissionRules.shape, unattended: Unattended.optional() }).optional(),
  questions: z
    .strictObject({
      unattended: Questions.optional().describe(
        'What becomes of questions while nobody is there: "wait", "first" (option) or "expire:<seconds>".',
      ),
    })
    .optional(),
  sandbox: z.enum(['off', 'workspace', 'strict']).optional(),
  limits: z
    .strictObject({
      maxConcurrentTasks: count.optional(),
      maxConcurrentWorkers: count.optional(),
      maxConcurrentTurns: count.optional(),
      maxIterations: count.optional(),
      maxDurationSeconds: Seconds.optional(),
      maxCostUsd: z.number().positive().optional(),
      maxWaitSeconds: Seconds.optional(),
      dailyCostUsd: z
        .union([z.number().positive(), z.literal('none')])
        .optional()
        .describe('What all agents may spend a day, in USD; "none" is no limit, and is not asked for again.'),
      run: RunLimits.optional().describe('How far a run may go for which nothing else was said.'),
    })
    .optional(),
  loop: z
    .strictObject({ autoWakeBudget: count.optional(), maxHops: count.optional(), maxTasksPerChain: count.optional() })
    .optional(),
  compaction: z
    .strictObject({
      at: z
        .number()
        .min(0.1)
        .max(1)
        .optional()
        .describe("The share of the model's window at which a history is compacted (0.8)."),
      keepTurns: count.max(1000).optional().describe('So many of the last turns stay whole, where they fit (6).'),
    })
    .optional(),
  memory: z
    .strictObject({
      inlineBytes: z
        .int()
        .min(0)
        .max(200_000)
        .optional()
        .describe('Memory below this size is in the prompt whole (20,480).'),
      embeddings: ModelName.optional().describe(
        'The embedding model, "provider/model", whose results are fused into searches.',
      ),
    })
    .optional(),
  store: z.strictObject({ url: z.string().optional(), durability: z.enum(['process', 'power']).optional() }).optional(),
  storage: z
    .strictObject({
      backups: count.optional(),
      retention: z
        .strictObject({ sessions: Retention.optional(), tasks: Retention.optional(), events: Retention.optional() })
        .optional()
        .describe('What is older or more than this is moved to the folder "archive" of the data folder.'),
    })
    .optional(),
  server: z
    .strictObject({
      host: z.string().optional(),
      port: z.int().min(0).max(65_535).optional(),
      publicUrl: z.url().optional(),
    })
    .optional(),
  channels: Channels.optional().describe('Where else the person is told of what is in the inbox; docs/inbox.md.'),
  routes: z.array(ChannelRoute).max(100).optional().describe('Which items go to which channels.'),
  webSearch: WebSearchSettings.optional(),
  hooks: HooksFile.optional().describe('Commands at moments of every session; docs/hooks.md.'),
  mcpServers: z.record(McpName, McpServer).optional().describe('Servers of the Model Context Protocol, by name.'),
  titles: z.enum(['first-line', 'model']).optional(),
})
export type Settings = z.infer<typeof Settings>

export const defaults = {
  permissions: { unattended: 'wait' },
  questions: { unattended: 'wait' },
  limits: {
    maxConcurrentTasks: 5,
    maxConcurrentWorkers: 4,
    maxConcurrentTurns: 2000,
    maxIterations: 50,
    maxDurationSeconds: 1800,
    maxWaitSeconds: 3600,
    run: RUN_DEFAULTS,
  },
  loop: { autoWakeBudget: 6, maxHops: 32, maxTasksPerChain: 200 },
  compaction: { at: 0.8, keepTurns: 6 },
  memory: { inlineBytes: 20_480 },
  store: { durability: 'process' },
  storage: {
    backups: 3,
    retention: {
      sessions: { maxAgeDays: 90, maxCount: 10_000 },
      tasks: { maxAgeDays: 30, maxCount: 5000 },
      events: { maxAgeDays: 90, maxCount: 2_000_000 },
    },
  },
  server: { host: '127.0.0.1', port: 4747 },
  titles: 'first-line',
} as const satisfies Settings

/** Every value that has a default is there. */
export type EffectiveSettings = Filled<Settings, typeof defaults>
type Filled<S, D> = Omit<S, keyof D> & {
  [K in keyof D & keyof S]-?: D[K] extends object ? Filled<NonNullable<S[K]>, D[K]> : NonNullable<S[K]>
}

/** Only flags, the environment and <home> may set these: a project cannot move the server or the store, or spend more a day. */
export const homeOnlyKeys = [
  'server',
  'channels',
  'routes',
  'store',
  'storage',
  'limits.dailyCostUsd',
  'limits.maxConcurrentTasks',
  'limits.maxConcurrentWorkers',
  'limits.maxConcurrentTurns',
] as const

/** Environment variables that are settings. */
export const environmentKeys = {
  TROUPE_MODEL: 'defaultModel',
  TROUPE_SMALL_MODEL: 'smallModel',
  TROUPE_DATABASE_URL: 'store.url',
  TROUPE_HOST: 'server.host',
  TROUPE_PORT: 'server.port',
  TROUPE_SANDBOX: 'sandbox',
} as const

/** The environment variable with each vendor's key; where it is set, the provider is the person's own. */
export const providerKeys: Readonly<Record<string, string>> = {
  anthropic: 'ANTHROPIC_API_KEY',
  openai: 'OPENAI_API_KEY',
  google: 'GEMINI_API_KEY',
  openrouter: 'OPENROUTER_API_KEY',
}

/** Where a value came from, strongest first. */
export const SettingsSource = z.enum(['flag', 'environment', 'project-local', 'project', 'home', 'default'])
export type SettingsSource = z.infer<typeof SettingsSource>

/** One value as it counts, and where it came from. */
export const Setting = z.strictObject({
  key: z.string(),
  value: z.unknown(),
  source: SettingsSource,
  file: z.string().optional(),
})
export type Setting = z.infer<typeof Setting>

/** Each value that counts in a project, and what is wrong in the files. */
export const SettingsView = z.strictObject({
  items: z.array(Setting),
  problems: z.array(Problem),
  trusted: z.boolean(),
})
export type SettingsView = z.infer<typeof SettingsView>
