import { join } from 'node:path'
import type { Agent, AgentFile } from '../../../contract/agents.ts'
import { HOOK_SECONDS, type HookFile } from '../../../contract/hook-file.ts'
import { HookEvent } from '../../../contract/hooks.ts'
import type { EffectiveSettings } from '../../../contract/settings.ts'
import { sha256 } from '../../../lib/files/files.ts'
import { shorten } from '../../../lib/shorten.ts'
import type { Project } from '../../base/index.ts'
import { isProjects, settingsWithSources } from '../settings/effective.ts'
import { personalLayers, projectLayers, type Sources } from '../settings/layers.ts'
import { isTrusted } from '../trust/trust.ts'

/** A hook that counts, and where it comes from. Nothing of it has run. */
export interface Hook extends Pick<HookFile, 'command' | 'match'> {
  readonly event: HookEvent
  readonly name: string
  readonly timeoutSeconds: number
  readonly env: readonly string[]
  /** The file or the agent that has it. */
  readonly from: string
  /** The folder of its programs. */
  readonly folder: string
  /** It is the project's: it runs only while the project is trusted. */
  readonly needsTrust: boolean
  /** The same as long as the hook is. */
  readonly key: string
  /** Why it cannot be used. What it is about is refused until it is repaired. */
  readonly broken?: string
}

const NAME_CHARS = 60
const none: readonly Hook[] = []

/**
 * In the order in which they run: the agent's own, the project's, the person's. Each sees the input as those before it
 * left it, so the person's see what would really run.
 */
export function hooksFor(
  core: Sources,
  project: Project,
  settings: Pick<EffectiveSettings, 'hooks'>,
  whose?: { readonly agent: Agent; readonly definition: AgentFile },
): readonly Hook[] {
  const own = whose?.definition.hooks
  const lost = brokenHooks(core, project)
  if (settings.hooks === undefined && own === undefined && lost.length === 0) return none
  return [...lost, ...(own ? ofAgent(core, project, whose.agent, own) : []), ...ofSettings(core, project)]
}

/** Guards in files of settings that cannot be used; those of a project only where it is trusted. */
export function brokenHooks(core: Sources, project: Project): readonly Hook[] {
  const mine = personalLayers(core).flatMap(({ lostGuards }) => lostGuards)
  const theirs = projectLayers(core, project).flatMap(({ lostGuards }) => lostGuards)
  const needsTrust = theirs.length > 0 && isTrusted(core, project)
  return [...mine, ...(needsTrust ? theirs : [])].map(({ problem: { file, field, message }, match }) => ({
    ...hookOf('beforeTool', { command: field ?? file, ...(match && { match: [...match] }) }, from(file)),
    broken: `it cannot be used as it is written: ${field ? `${field}: ` : ''}${message}`,
  }))
}

const from = (file: string) => ({ from: file, folder: '', needsTrust: false })

function ofAgent(core: Sources, project: Project, agent: Agent, hooks: NonNullable<AgentFile['hooks']>): Hook[] {
  // In a project without trust the hooks are those of the person's agent of that name.
  const needsTrust = agent.source === 'project' && isTrusted(core, project)
  const borrowed = agent.source === 'project' && !needsTrust
  const folder = join(borrowed ? join(core.home, 'agents', agent.name) : agent.folder, 'hooks')
  const place = { from: `agent ${agent.name}`, folder, needsTrust }
  return HookEvent.options.flatMap((event) => (hooks[event] ?? []).map((file) => hookOf(event, file, place)))
}

function ofSettings(core: Sources, project: Project): Hook[] {
  return settingsWithSources(core, project).flatMap(({ key, value, source, file }): Hook[] => {
    const event = HookEvent.safeParse(/^hooks\.(\w+)$/.exec(key)?.[1]).data
    if (event === undefined) return []
    const needsTrust = isProjects(source)
    const folder = needsTrust ? join(project.path, '.troupe', 'hooks') : join(core.home, 'hooks')
    return (value as HookFile[]).map((one) => hookOf(event, one, { from: file ?? source, folder, needsTrust }))
  })
}

function hookOf(event: HookEvent, file: HookFile, place: Pick<Hook, 'from' | 'folder' | 'needsTrust'>): Hook {
  return {
    ...file,
    ...place,
    event,
    name: file.name ?? shorten(file.command.replace(/\s+/g, ' '), NAME_CHARS),
    timeoutSeconds: file.timeoutSeconds ?? HOOK_SECONDS,
    env: file.env ?? [],
    key: sha256(JSON.stringify([event, file, place.from])).slice(0, 16),
  }
}

/** Whether a hook may run now: trust may have been taken back, or something of the project have changed, since it was read. */
export const mayRun = (core: Sources, project: Project, { needsTrust }: Hook): boolean =>
  !needsTrust || isTrusted(core, project)
