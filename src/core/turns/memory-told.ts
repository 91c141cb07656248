import type { Agent } from '../../contract/agents.ts'
import type { Core, Project } from '../base/index.ts'
import { effectiveSettings } from '../config/index.ts'
import { frozenKey, knownSources, nothing, type Recollection, recall, recallKnown } from '../memory/index.ts'
import { isKeptFrom, type Judge } from '../permissions/index.ts'
import type { Offer } from '../tools/index.ts'
import { memoryNews } from './memory-section.ts'
import { data, type Section } from './prompt.ts'

type Told = Readonly<Record<string, string>>

interface Rememberer {
  readonly project: Project
  readonly agent: Agent
  readonly offer: Offer
  readonly judge: Judge
}

/** What goes into the prompt. Only agents with a tool to read memory are shown any. */
export async function memoryOf(core: Core, { project, agent, offer, judge }: Rememberer): Promise<Recollection> {
  const has = [...offer.loaded, ...offer.listed].some(({ tool }) => tool.capabilities.includes('memory.read'))
  if (!has) return nothing
  const { settings } = await effectiveSettings(core, project)
  return recall(core, project, agent.name, { inlineBytes: settings.memory.inlineBytes, isKept: isKeptFrom(judge) })
}

/** Files that the session was told and that are no longer loaded, as they are now. */
export function notLoaded(core: Core, { project, agent }: Rememberer, { files }: Recollection, told: Told): Section[] {
  const others = knownSources(told).filter((source) => !files.some((file) => file.source === source))
  return memoryNews(recallKnown(core, project, agent.name, others), data)
}

/** What the session knows once the prompt is frozen: the files in it, and what messages in the log said of others. */
export const toldWhenFrozen = (told: Told, { files }: Recollection): Record<string, string> => ({
  ...Object.fromEntries(Object.entries(told).filter(([key]) => !key.startsWith(frozenKey('')))),
  ...Object.fromEntries(files.map(({ source, digest }) => [frozenKey(source), digest])),
})
