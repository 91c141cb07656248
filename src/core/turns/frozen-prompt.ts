import type { Agent, AgentFile } from '../../contract/agents.ts'
import { maskDeep } from '../../lib/mask.ts'
import { findPrompt, putPrompt, readActive, readTold } from '../../store/prompts.ts'
import { findRun } from '../../store/runs.ts'
import type { SessionRow } from '../../store/tables.ts'
import { asRunner, type Core, type Lease, type Project } from '../base/index.ts'
import { listAgents, worksIn } from '../config/index.ts'
import { flagEdited, type Recollection } from '../memory/index.ts'
import { type Judge, type Maker, reaches } from '../permissions/index.ts'
import { roleIn } from '../runs/index.ts'
import { listing, type Offer } from '../tools/index.ts'
import { changesSince } from './changes.ts'
import { memoryOf, notLoaded, toldWhenFrozen } from './memory-told.ts'
import { presenceToTell } from './presence-told.ts'
import { buildPrompt, type Prompt, type Section } from './prompt.ts'
import type { RunPart } from './run-rules.ts'
import { skillsToKnow } from './skills.ts'
import { todosToTell } from './todos-told.ts'

/** The prompt that a session's requests carry, and what changed since. */
interface Frozen {
  readonly prompt: string
  readonly changes: readonly Section[]
  readonly active: readonly string[]
}

interface PromptParts {
  readonly project: Project
  readonly agent: Agent
  readonly definition: AgentFile
  readonly model: string
  readonly makers: readonly Maker[]
  readonly offer: Offer
  readonly judge: Judge
}

/**
 * The prompt stays as it was until the agent's definition or the model changes or the history is compacted, so that
 * vendors' caches hit.
 */
export async function frozenPrompt(core: Core, lease: Lease, session: SessionRow, about: PromptParts): Promise<Frozen> {
  const memory = await memoryOf(core, about)
  await flagEdited({ ...core, runner: lease }, session.id, memory.files)
  const built = maskDeep(core.mask, await promptFor(core, session, about, memory))
  const frozen = await findPrompt(core.store.read, session.id)
  const told = frozen ? readTold(frozen) : {}
  const live = [
    ...built.live,
    ...notLoaded(core, about, memory, told),
    ...(await todosToTell(core, session)),
    ...(await presenceToTell(core, about.offer)),
  ]
  if (frozen !== undefined && frozen.key === built.key && frozen.model === about.model)
    return { prompt: frozen.text, changes: changesSince(frozen, live), active: readActive(frozen) }
  const fresh = {
    session_id: session.id,
    key: built.key,
    model: about.model,
    text: built.text,
    sections: JSON.stringify(built.sections),
    // Messages in the log told the model of changes, and they stay there when the prompt is new.
    told: JSON.stringify(toldWhenFrozen(told, memory)),
    active: frozen?.active ?? '[]',
  }
  await asRunner(core, lease, 'turn.prompt', (tx) => putPrompt(tx.db, { ...fresh, created_at: tx.now }))
  return { prompt: built.text, changes: changesSince(fresh, live), active: readActive(fresh) }
}

export const promptFor = async (
  core: Core,
  session: SessionRow,
  about: PromptParts,
  memory?: Recollection,
): Promise<Prompt> =>
  buildPrompt(core, {
    memory: memory ?? (await memoryOf(core, about)),
    project: about.project,
    agent: about.agent,
    model: about.model,
    tools: about.offer.loaded.map(({ tool }) => tool).filter(({ origin }) => origin === undefined),
    known: listing(about.offer),
    skills: skillsToKnow(core, about),
    mode: session.mode,
    run: await partIn(core, session, about.offer),
    workspace: session.workspace,
    agents: await agentsToKnow(core, about),
  })

/** A session is a member while its run is open; afterwards it is told the rules of its mode. */
async function partIn(
  core: Core,
  { id, run_id, worker }: SessionRow,
  { loaded, listed }: Offer,
): Promise<RunPart | undefined> {
  const role = run_id === null ? undefined : await roleIn(core, id)
  if (role === undefined) return undefined
  const infinite = role === 'coordinator' && (await findRun(core.store.read, run_id!))?.mode === 'infinite'
  const tools = new Set([...loaded, ...listed].map(({ tool }) => tool.name))
  return { worker: worker ?? undefined, ...(infinite && { infinite }), tools }
}

/** Only agents that can write to others need to know them; the tools for it say so by their capability. */
async function agentsToKnow(core: Core, { project, agent, definition, makers, offer }: PromptParts) {
  if (![...offer.loaded, ...offer.listed].some(({ tool }) => tool.capabilities.includes('agents'))) return []
  return (await listAgents(core, project))
    .filter((other) => !other.broken && (worksIn(other, 'chat') || worksIn(other, 'subagent')))
    .filter(({ name }) => name !== agent.name && reaches(definition, makers, name))
    .map(({ name, description }) => ({ name, description }))
}
