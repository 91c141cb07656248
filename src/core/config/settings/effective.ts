import { join } from 'node:path'
import type { Problem } from '../../../contract/agents.ts'
import type { EffectiveSettings, Setting } from '../../../contract/settings.ts'
import { isOpenToCommand } from '../../../lib/sandbox/watch.ts'
import type { Project } from '../../base/index.ts'
import { isTrusted } from '../trust/trust.ts'
import { defaultLayer, personalLayers, projectLayers, type ReadLayer, type Sources } from './layers.ts'
import { addsUp, type Layer, merge, treeOf } from './leaves.ts'
import { tightening, whyWithheld } from './tighten.ts'

export { patchSettings } from './patch.ts'

interface Effective {
  readonly settings: EffectiveSettings
  readonly problems: readonly Problem[]
  readonly trusted: boolean
  /** The providers of which files of the project give at least a part. */
  readonly projectProviders: ReadonlySet<string>
}

const KEPT = 200
const kept = new Map<string, { inputs: readonly unknown[]; effective: Effective }>()

/** What counts in a project now. Bad files are reported, never thrown; the same object comes back until something changes. */
export async function effectiveSettings(core: Sources, project: Project): Promise<Effective> {
  const key = `${core.home}\0${project.path}`
  const known = kept.get(key)
  if (known && isOpenToCommand(join(project.path, '.troupe'))) return known.effective
  const trusted = isTrusted(core, project)
  const personal = personalLayers(core)
  const own = projectLayers(core, project)
  const inputs = [trusted, core.env, ...personal, ...own]
  if (known && inputs.every((input, at) => input === known.inputs[at])) return known.effective

  const layers = counted(core, personal, own, trusted)
  const effective = {
    settings: treeOf(merge(layers)) as EffectiveSettings,
    problems: [...[...personal, ...own].flatMap((layer) => layer.problems), ...withheld(own, layers)],
    trusted,
    projectProviders: providersOf(layers),
  }
  kept.delete(key)
  kept.set(key, { inputs, effective })
  if (kept.size > KEPT) kept.delete(kept.keys().next().value ?? key)
  return effective
}

/** Each value that counts with where it comes from; lists that add up have one entry per place. Secrets are hidden. */
export function settingsWithSources(core: Sources, project: Project): Setting[] {
  const layers = counted(core, personalLayers(core), projectLayers(core, project), isTrusted(core, project))
  const found: Setting[] = []
  const taken = new Set<string>()
  for (const { source, file, leaves } of layers) {
    for (const [key, value] of leaves) {
      if (taken.has(key) && !addsUp(key)) continue
      taken.add(key)
      found.push({ key, value: hideSecrets(key, value), source, ...(file && { file }) })
    }
  }
  return found.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
}

/** A value that the files of a project give, which others wrote. */
export const isProjects = (source: Setting['source'] | undefined): boolean =>
  source === 'project' || source === 'project-local'

/** Strongest first. A project that is not trusted, or a damaged file, can only make things stricter. */
function counted(core: Sources, personal: readonly ReadLayer[], own: readonly ReadLayer[], trusted: boolean): Layer[] {
  const [flags, environment, home] = personal.map((layer) => restrict(layer, layer.damaged, [defaultLayer]))
  const mine = [flags, environment, home, defaultLayer].filter((layer) => layer !== undefined)
  const projects = own.map((layer) => restrict(layer, layer.damaged || !trusted, mine))
  return [...mine.slice(0, 2), ...projects, ...mine.slice(2)]

  function restrict(layer: Layer, only: boolean, base: readonly Layer[]): Layer {
    return only ? { ...layer, leaves: tightening(layer.leaves, merge(base), core.env) } : layer
  }
}

function providersOf(layers: readonly Layer[]): ReadonlySet<string> {
  const found = new Set<string>()
  const taken = new Set<string>()
  for (const { source, leaves } of layers) {
    for (const key of leaves.keys()) {
      const [head, name = ''] = key.split('.')
      if (head === 'providers' && isProjects(source) && !taken.has(key)) found.add(name)
      taken.add(key)
    }
  }
  return found
}

/** What sound files of the project say in vain, unless they say what holds anyway or it was reported before. */
function withheld(own: readonly ReadLayer[], layers: readonly Layer[]): Problem[] {
  const holds = merge(layers)
  return own.flatMap(({ source, file, leaves, damaged, problems }) => {
    const counting = layers.find((layer) => layer.source === source)?.leaves
    if (file === undefined || damaged) return []
    return [...leaves]
      .filter(([field, value]) => !counting?.has(field) && holds.get(field) !== value)
      .filter(([field]) => !problems.some((problem) => problem.field === field))
      .map(([field, value]) => ({ file, field, ...whyWithheld(field, value) }))
  })
}

function hideSecrets(key: string, value: unknown): unknown {
  if (key === 'store.url') return String(value).replace(/(:\/\/[^:@/]*:)[^@]*@/, '$1(hidden)@')
  if (key.startsWith('mcpServers.')) return hideServer(value as Keys)
  if (key.startsWith('channels.to.')) return hideChannel(value as Keys)
  if (key !== 'webSearch' && !key.startsWith('providers.')) return value
  const { accounts, ...provider } = value as Keys & { accounts?: Keys[] }
  return { ...hideKeys(provider), ...(accounts && { accounts: accounts.map(hideKeys) }) }
}

interface Keys {
  readonly apiKey?: string
  readonly headers?: Record<string, string>
  readonly env?: Record<string, string>
  readonly url?: string
  readonly password?: string
}

const hideKeys = ({ apiKey, headers, ...rest }: Keys): Keys => ({
  ...rest,
  ...(apiKey !== undefined && { apiKey: hide(apiKey) }),
  ...(headers && { headers: hideAll(headers) }),
})

const hideServer = ({ env, ...rest }: Keys): Keys => ({ ...hideKeys(rest), ...(env && { env: hideAll(env) }) })

/** Whoever knows the address of an incoming webhook can write there. */
const hideChannel = ({ url, password, ...rest }: Keys): Keys => ({
  ...rest,
  ...(url !== undefined && { url: hide(url) }),
  ...(password !== undefined && { password: hide(password) }),
})

const hideAll = (texts: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, hide(text)]))

const hide = (text: string): string => (text.startsWith('$') ? text : '(hidden)')

/** How long a call may wait for agents, in milliseconds. */
export const longestWait = async (core: Sources, project: Project): Promise<number> =>
  (await effectiveSettings(core, project)).settings.limits.maxWaitSeconds * 1000
