import { join, relative } from 'node:path'
import { z } from 'zod'
import { AppError } from '../../../contract/errors.ts'
import type { TrustPart, TrustState } from '../../../contract/trust.ts'
import { iso } from '../../../lib/clock.ts'
import { listFolder, readSmall, type SmallFile, sha256, writeAtomic } from '../../../lib/files/files.ts'
import type { Core, Project } from '../../base/index.ts'
import { type ActingPart, actingParts, partsOfAgent } from './acting.ts'

/**
 * <home>/trust.json, keyed by a project's real path: a digest of each part as it was when the person trusted it, and the
 * hash they declined. A project that was only declined has an empty hash.
 */
const TrustFile = z.record(
  z.string(),
  z.object({
    hash: z.string(),
    at: z.string(),
    parts: z.array(
      z.object({ file: z.string(), what: z.string(), digest: z.string(), narrows: z.boolean().optional() }),
    ),
    declined: z.string().optional(),
  }),
)
type TrustFile = z.infer<typeof TrustFile>

/** The gate: every part of a project that acts asks here, every time. */
export function isTrusted(core: Pick<Core, 'home'>, project: Project): boolean {
  const record = recordOf(core, project)
  if (!record?.hash) return false
  const parts = actingParts(project)
  return changes(record.parts, parts).length === 0 && !parts.some((part) => part.problem)
}

/** What is other than what the person trusted, where they trusted something and have not said no to what is there now. */
export function trustLost(
  core: Pick<Core, 'home'>,
  project: Project,
): { readonly hash: string; readonly changed: readonly TrustPart[] } | undefined {
  const record = recordOf(core, project)
  if (!record?.hash) return undefined
  const parts = actingParts(project)
  const changed = changes(record.parts, parts)
  const hash = hashOf(parts)
  return changed.length === 0 || record.declined === hash ? undefined : { hash, changed }
}

export async function trustState(core: Pick<Core, 'home'>, project: Project): Promise<TrustState> {
  const parts = actingParts(project)
  const hash = hashOf(parts)
  const record = recordOf(core, project)
  return {
    trusted: isTrusted(core, project),
    hash,
    acting: [
      ...parts
        .filter(({ narrows }) => !narrows)
        .map(({ file, what, problem }) => ({ file, what: problem ? `${what} (${problem})` : what })),
      ...memoryIn(project),
    ],
    changed: record?.hash ? changes(record.parts, parts) : [],
    declined: record?.declined === hash,
  }
}

/** Memory takes effect with trust, and later changes of it are told, not asked about: it is shown and not digested. */
function memoryIn({ path }: Project): TrustPart[] {
  const folder = join('.troupe', 'memory')
  const there = listFolder(join(path, folder)).some(({ name, folder }) => folder || name.endsWith('.md'))
  return there ? [{ file: folder, what: 'memory that agents read' }] : []
}

/**
 * Only a person's act may come here. With `hash`, a yes holds only if the parts are still those that were shown, and a
 * no is kept, so that the person is asked once.
 */
export async function setTrust(
  core: Pick<Core, 'home' | 'clock'>,
  project: Project,
  { trusted, hash }: { trusted: boolean; hash?: string | undefined },
): Promise<TrustState> {
  const records = { ...readRecords(core, true) }
  const before = isTrusted(core, project) ? undefined : recordOf(core, project)
  delete records[project.path]
  if (trusted) records[project.path] = newRecord(core, project, hash)
  else if (hash !== undefined)
    records[project.path] = { hash: '', at: iso(core.clock.now()), parts: [], ...before, declined: hash }
  writeAtomic(trustFile(core), `${JSON.stringify(records, null, 2)}\n`, 0o600)
  return trustState(core, project)
}

/** An agent's definition that a person wrote through us; without a text they removed it. */
interface WrittenAgent {
  readonly path: string
  readonly text?: string
}

/**
 * A person wrote it where they trusted everything as it was before: exactly what they wrote needs no second word. Whatever
 * else is other than it was, also in the meantime, still does.
 */
export function keepTrust(core: Pick<Core, 'home'>, project: Project, { path, text }: WrittenAgent): void {
  const records = { ...readRecords(core, true) }
  const record = recordOf(core, project)
  const own = text === undefined ? [] : partsOfAgent(project, path, text)
  if (!record?.hash || own === undefined) return
  const file = relative(project.path, path)
  const parts = [...record.parts.filter((part) => part.file !== file), ...own]
  records[project.path] = { ...record, hash: hashOf(parts), parts }
  writeAtomic(trustFile(core), `${JSON.stringify(records, null, 2)}\n`, 0o600)
}

function newRecord(core: Pick<Core, 'clock'>, project: Project, shown: string | undefined): TrustFile[string] {
  const parts = actingParts(project)
  const hash = hashOf(parts)
  if (shown !== undefined && shown !== hash)
    throw new AppError(
      'trust.changed',
      `What acts in ${project.path} has changed since it was shown; nothing was trusted.`,
      {
        hint: 'Look at what is there now and decide again.',
      },
    )
  const unsure = parts.find((part) => part.problem)
  if (unsure)
    throw new AppError(
      'trust.unverifiable',
      `${unsure.what} in ${unsure.file} ${unsure.problem}, so a later change of it could go unseen.`,
      {
        hint: 'Make it smaller, or move it out of the project into your home folder.',
      },
    )
  return { hash, at: iso(core.clock.now()), parts: parts.map(({ problem: _, ...part }) => part) }
}

/** What narrows may be added: there was less of it before. */
function changes(then: readonly ActingPart[], now: readonly ActingPart[]): TrustPart[] {
  const before = new Map(then.map((part) => [partKey(part), part]))
  const after = new Map(now.map((part) => [partKey(part), part]))
  const touched = now.flatMap((part) => {
    const old = before.get(partKey(part))
    if (old?.digest === part.digest || (old === undefined && part.narrows)) return []
    return [{ file: part.file, what: `${part.what} ${old ? 'changed' : 'added'}` }]
  })
  const gone = then
    .filter((part) => !after.has(partKey(part)))
    .map(({ file, what }) => ({ file, what: `${what} removed` }))
  return [...touched, ...gone]
}

const partKey = (part: TrustPart): string => `${part.file}\0${part.what}`

const hashOf = (parts: readonly ActingPart[]): string =>
  sha256(
    parts
      .map((part) => `${partKey(part)}\0${part.digest}`)
      .sort()
      .join('\n'),
  )

const trustFile = (core: Pick<Core, 'home'>): string => join(core.home, 'trust.json')

function recordOf(core: Pick<Core, 'home'>, project: Project): TrustFile[string] | undefined {
  const records = readRecords(core, false)
  return Object.hasOwn(records, project.path) ? records[project.path] : undefined
}

const readings = new WeakMap<SmallFile, TrustFile>()

/** A damaged file trusts no project and is not overwritten. */
function readRecords(core: Pick<Core, 'home'>, strict: boolean): TrustFile {
  const file = readSmall(trustFile(core), { limit: 16 * 1024 * 1024 })
  if (file === undefined) return {}
  const known = readings.get(file)
  if (known) return known
  const read = parseRecords(file.text)
  if (read) readings.set(file, read)
  else if (strict)
    throw new AppError('settings.invalid', `${file.path} is damaged, so no trust can be recorded in it.`, {
      hint: 'Repair it, or remove it and trust your projects again.',
    })
  return read ?? {}
}

function parseRecords(text: string): TrustFile | undefined {
  try {
    return TrustFile.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}
