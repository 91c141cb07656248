import { iso } from '../../lib/clock.ts'
import { sumReserved } from '../../store/budgets.ts'
import { countAll } from '../../store/counts.ts'
import { unreadable } from '../../store/drivers/unreadable.ts'
import { countPausedRuns } from '../../store/runs.ts'
import { type Core, type Project, type Read, version } from '../base/index.ts'
import { effectiveSettings } from '../config/index.ts'
import { presenceNow } from '../inbox/index.ts'
import { resourceLimits, sandboxState } from '../permissions/index.ts'
import { toUsd } from '../spending/index.ts'

const UNREADABLE_SHOWN = 20

/**
 * What runs here, for people and for clients that want to know before they ask for more. It is about one project, or
 * about all: then the settings and models are those of the server's own project.
 */
export async function status(core: Core, named: Project | '*', read: Read) {
  const project = named === '*' ? core.project : named
  const { settings, problems, trusted } = await effectiveSettings(core, project)
  const models = await core.models.list(project)
  const dayStart = new Date(core.clock.now()).setHours(0, 0, 0, 0)
  const counts = await read((db) => countAll(db, dayStart, named === '*' ? '*' : named.id))
  const trouble = core.store.trouble()
  return {
    version,
    pid: process.pid,
    instance: core.instance,
    home: core.home,
    project: project.path,
    trusted,
    problems,
    store: { ...core.store.about, ...(trouble && { trouble: { ...trouble, since: iso(trouble.since) } }) },
    counts: { ...counts.sessions, inbox: counts.inboxOpen, mail: counts.mailWaiting },
    presence: await read((db) => presenceNow(core, db)),
    pausedRuns: await read((db) => countPausedRuns(db, named === '*' ? '*' : named.id)),
    providers: [...new Set(models.filter(({ usable }) => usable).map(({ provider }) => provider))],
    defaultModel: settings.defaultModel ?? (await core.models.defaultModel(project)),
    costTodayUsd: counts.today.costUsd,
    unpricedTokensToday: counts.today.unpricedTokens,
    reservedUsd: toUsd(await read(sumReserved)),
    unreadable: unreadable().slice(0, UNREADABLE_SHOWN),
    sandbox: { ...sandboxState(core, settings), limits: resourceLimits },
  }
}
