import { countAll } from '../store/counts.ts'
import type { Core } from './core.ts'
import { resourceLimits, sandboxState } from './sandbox.ts'
import { effectiveSettings } from './settings.ts'
import { version } from './version.ts'

/** What runs here, for people and for clients that want to know before they ask for more. */
export async function status(core: Core) {
  const { settings, problems, trusted } = await effectiveSettings(core, core.project)
  const models = await core.runtimes.model!.models(core.project)
  const counts = await countAll(core.store.read, new Date(core.clock.now()).setHours(0, 0, 0, 0))
  return {
    version,
    pid: process.pid,
    instance: core.instance,
    home: core.home,
    project: core.project.path,
    trusted,
    problems,
    store: {
      kind: core.store.kind,
      ...(core.store.kind === 'sqlite' ? { durability: settings.store.durability } : {}),
    },
    counts: { ...counts.sessions, inbox: counts.inboxOpen, mail: counts.mailWaiting },
    providers: [...new Set(models.filter(({ usable }) => usable).map(({ provider }) => provider))],
    defaultModel: settings.defaultModel ?? (await core.runtimes.model!.defaultModel(core.project)),
    costTodayUsd: counts.today.costUsd,
    unpricedTokensToday: counts.today.unpricedTokens,
    sandbox: { ...sandboxState(core, settings), limits: resourceLimits },
  }
}
