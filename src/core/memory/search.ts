import { join } from 'node:path'
import type { MemoryFound, MemoryHit } from '../../contract/memory.ts'
import { isInside } from '../../lib/files/files.ts'
import type { SearchFolder, SectionHit } from '../../store/sections/sections.ts'
import type { Core, Project } from '../base/index.ts'
import { effectiveSettings } from '../config/index.ts'
import { type Scope, scopeFolder, searchFolder } from './scopes.ts'

interface Search {
  readonly query: string
  readonly limit: number
  readonly signal?: AbortSignal | undefined
  /** Real paths that a rule keeps from who asks. */
  readonly hidden?: readonly string[]
}

/** Each ranking may bring in more than is shown, so that what both know comes first. */
const RANKED = 50
/** How many sections one search embeds at most; the next one goes on. */
const EMBEDDED = 512
const BATCH = 64
/** How strongly the first places count over the later ones. */
const FLATNESS = 60

/** The sections that fit best, by their words and, where an embedding model is set, by their meaning too. */
export async function searchMemory(
  core: Core,
  project: Project,
  scopes: readonly Scope[],
  { query, limit, signal, hidden = [] }: Search,
): Promise<MemoryFound> {
  const folders = scopes.map(searchFolder)
  const { hits, behind } = await core.sections.ask({ ask: 'text', folders, query, limit: Math.max(limit, RANKED) })
  const notes = behind === 0 ? [] : [`${behind} changed files are not in the index yet; search again for the rest.`]
  const { embeddings: model } = (await effectiveSettings(core, project)).settings.memory
  const alike = model === undefined ? [] : await nearest(core, project, { folders, model, query, signal, notes })
  const isShown = ({ folder, path }: SectionHit): boolean => !hidden.some((one) => isInside(join(folder, path), one))
  const items = fuse([hits, alike])
    .filter(isShown)
    .slice(0, limit)
    .map((hit) => shown(hit, scopes))
  return { items, notes }
}

interface Meaning {
  readonly folders: readonly SearchFolder[]
  readonly model: string
  readonly query: string
  readonly signal: AbortSignal | undefined
  readonly notes: string[]
}

/** A failure of the embedding model leaves the search by words, and a note. */
async function nearest(core: Core, project: Project, { folders, model, query, signal, notes }: Meaning) {
  try {
    const embed = (texts: readonly string[]) =>
      core.models.embed(project, model, texts.map(core.mask), signal ?? AbortSignal.timeout(30_000))
    const { missing } = await core.sections.ask({ ask: 'missing', folders, model, limit: EMBEDDED + 1 })
    for (let at = 0; at < Math.min(missing.length, EMBEDDED); at += BATCH) {
      const some = missing.slice(at, Math.min(at + BATCH, EMBEDDED))
      const vectors = await embed(some.map(({ text }) => text))
      const items = some.flatMap(({ digest }, index) => (vectors[index] ? [{ digest, vector: vectors[index] }] : []))
      await core.sections.ask({ ask: 'keep', model, items })
    }
    if (missing.length > EMBEDDED)
      notes.push('Not every section has its embedding yet; each search makes more of them.')
    const [vector] = await embed([query])
    if (vector === undefined) return []
    return (await core.sections.ask({ ask: 'nearest', folders, model, vector, query, limit: RANKED })).hits
  } catch (error) {
    if (signal?.aborted) throw error
    const why = core.mask(error instanceof Error ? error.message : String(error)).slice(0, 200)
    notes.push(`Only words were compared: the embeddings of ${model} failed (${why}).`)
    return []
  }
}

/** Reciprocal-rank fusion: what stands high in any ranking stands high, and higher what stands in both. */
function fuse(rankings: readonly (readonly SectionHit[])[]): SectionHit[] {
  const found = new Map<number, { hit: SectionHit; score: number }>()
  for (const ranking of rankings) {
    for (const [place, hit] of ranking.entries()) {
      const { score = 0 } = found.get(hit.id) ?? {}
      found.set(hit.id, { hit, score: score + 1 / (FLATNESS + place) })
    }
  }
  return [...found.values()].sort((a, b) => b.score - a.score).map(({ hit }) => hit)
}

function shown({ folder, path, heading, snippet }: SectionHit, scopes: readonly Scope[]): MemoryHit {
  const { name, agent } = scopes.find((scope) => scopeFolder(scope) === folder)!
  return { scope: name, ...(agent !== undefined && { agent }), path, heading, snippet }
}
