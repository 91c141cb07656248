import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../../contract/errors.ts'
import type { EffectiveSettings } from '../../contract/settings.ts'
import { isInside } from '../../lib/files/files.ts'
import { capsHold, commandCaps, gibibytes } from '../../lib/process/caps.ts'
import { type Box, sandboxSupport } from '../../lib/sandbox/sandbox.ts'
import { wildcard } from '../../lib/wildcard.ts'
import type { Core, Sandbox } from '../base/index.ts'
import { deniedPaths } from './denied.ts'
import { type Judge, type May, mayWrite, type SandboxState } from './judge.ts'
import type { Workplace } from './locate.ts'
import { type Rule, type RuleSource, rulesOf } from './rules.ts'
import { shownOfRun } from './run-scope.ts'

/** When no setting chooses, commands are shut in if that works on this machine. */
export function sandboxState(core: Pick<Core, 'env'>, settings: Pick<EffectiveSettings, 'sandbox'>): SandboxState {
  const asked = settings.sandbox
  if (asked === 'off') return { mode: 'off', unavailable: false, reason: 'the setting "sandbox" is "off"' }
  const support = sandboxSupport(core.env, asked ?? 'workspace')
  if (support.program !== undefined)
    return { mode: asked ?? 'workspace', unavailable: false, ...(support.lacks && { reason: support.lacks }) }
  return { mode: asked ?? 'off', unavailable: asked !== undefined, reason: support.why }
}

/** Why commands run without a sandbox that nobody switched off; undefined when that is not so. */
export function unshutReason(
  core: Pick<Core, 'env'>,
  settings: Pick<EffectiveSettings, 'sandbox'>,
): string | undefined {
  if (settings.sandbox !== undefined) return undefined
  const { mode, reason } = sandboxState(core, settings)
  return mode === 'off' ? reason : undefined
}

/** Why commands of a run's members are not held to their own files, whoever wanted it so; undefined when they are. */
export function unheldReason(
  core: Pick<Core, 'env'>,
  settings: Pick<EffectiveSettings, 'sandbox'>,
): string | undefined {
  const { mode, reason } = sandboxState(core, settings)
  return mode === 'off' ? reason : undefined
}

/** What of a command is bounded here, in words. */
export const resourceLimits = capsHold
  ? `time, output, memory (${gibibytes(commandCaps.memoryBytes)}), processes (${commandCaps.processes}), size of a file (${gibibytes(commandCaps.fileBytes)}), temporary files (${gibibytes(commandCaps.tempBytes)}); disk in all is not limited`
  : 'time and output; memory, processes and disk are not limited here'

type Shut = Pick<
  Judge,
  'workspace' | 'sessionId' | 'sources' | 'own' | 'makers' | 'granted' | 'sandbox' | keyof Workplace
>

export function sandboxFor(core: Pick<Core, 'home' | 'env' | 'url'>, shut: Shut, may: May): Sandbox {
  const { workspace, sessionId } = shut
  const state = shut.sandbox()
  if (state.unavailable) return { unavailable: state.reason ?? '' }
  const { unlisted, ...kept } = keptAway(shut)
  if (unlisted.length > 0) return { unavailable: tooMuch(unlisted) }
  const socket = socketOf(core)
  // A folder that holds the data folder, the workspace or the person's home would open everything.
  const holdsUs = (path: string): boolean =>
    [core.home, workspace, core.env.HOME ?? '/'].some((one) => isInside(one, path))
  const reach = (wanted: 'read' | 'write'): string[] =>
    may.reach.flatMap(({ path, access }) => (access === wanted && !holdsUs(path) ? [path] : []))
  return {
    mode: state.mode,
    workspace,
    home: core.home,
    userHome: core.env.HOME,
    caps: commandCaps,
    ...kept,
    ...(shut.run && {
      hidden: [...kept.hidden, shut.run.runs],
      seen: shownOfRun(shut.run),
      folder: shut.run.folder ?? workspace,
    }),
    writable: reach('write'),
    readable: reach('read'),
    git: may.git,
    permits: (path) => mayWrite(shut, path),
    lasting: false,
    owner: sessionId,
    hosts: hostsIn(shut),
    server: core.url(),
    socket: existsSync(socket) ? socket : undefined,
    ...watchedIn(core),
  }
}

export const socketOf = ({ home }: Pick<Core, 'home'>): string => join(home, 'server.sock')

export const watchedIn = ({ home }: Pick<Core, 'home'>): Pick<Box, 'watched' | 'aside'> => ({
  watched: join(home, 'watched'),
  aside: join(home, 'aside'),
})

/** Fails closed: the tool that starts a process asks here first. */
export function boxOf(sandbox: Sandbox): Box {
  if (!('unavailable' in sandbox)) return sandbox
  throw new AppError('sandbox.unavailable', `sandbox_unavailable: the command was not run. ${sandbox.unavailable}`, {
    hint: 'Only the person can change this; tell them what is missing.',
  })
}

/** What the rules keep from this session or from any of its makers does not exist for its commands. */
function keptAway(shut: Shut): Pick<Box, 'hidden' | 'readOnly'> & { readonly unlisted: readonly string[] } {
  // Without a sandbox nothing could be hidden, and looking for it costs time.
  if (shut.sandbox().mode === 'off') return { hidden: [], readOnly: [], unlisted: [] }
  const { read, write, unlisted } = deniedPaths(everySource(shut), shut)
  return { hidden: read, readOnly: write, unlisted }
}

/** What cannot be found cannot be hidden, and whoever makes enough files could undo a rule by that. */
const tooMuch = (patterns: readonly string[]): string =>
  `There are too many files to tell which of them ${patterns.join(', ')} means, so it could not be kept from them. Remove what is not needed, or deny the folders by name.`

const everySource = ({ sources, own, makers }: Shut): RuleSource[] => [
  ...sources,
  own,
  ...makers.map(({ from, permissions = {} }) => ({ from, rules: permissions })),
]

/** The tool whose rules name hosts, for it and for commands alike. */
const hostWord = 'web_fetch'

/** A shut-in command may reach the hosts that rules for web_fetch allow, without those that any rule denies or asks for. */
function hostsIn(shut: Shut): string[] {
  const about = (rule: Rule): boolean => wildcard(rule.tool, hostWord)
  const closed = rulesOf(everySource(shut)).filter((rule) => rule.decision !== 'allow' && about(rule))
  const allowed = rulesOf(shut.sources).filter(({ decision, tool }) => decision === 'allow' && tool === hostWord)
  return [
    ...allowed.flatMap(({ pattern = '' }) => (/^(\*\.)?[\w-]+(\.[\w-]+)*(:\d+)?$/.test(pattern) ? [pattern] : [])),
    ...closed.map(({ pattern = '*' }) => `!${pattern}`),
  ]
}
