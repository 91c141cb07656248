import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { createTwoFilesPatch } from 'diff'
import { systemClock } from '../clock.ts'
import { sha256, writeAtomic } from '../files/files.ts'
import { shownName } from '../files/paths.ts'
import { entryAt, keptBytes, lookAt, moveAway, type PathEntry, putEntries, sameEntry } from './entries.ts'

/**
 * What a command made or changed under a protected name lies here until a person decides: each file as it was and as
 * the command left it. The folder of one such set is written whole, then the workspace is put back; either can be done
 * again after a crash.
 */

export interface FileChange {
  readonly path: string
  readonly before?: PathEntry | undefined
  readonly after?: PathEntry | undefined
}

export interface AsideSet {
  readonly id: string
  /** For whom the command ran. */
  readonly owner: string
  readonly workspace: string
  readonly changes: readonly FileChange[]
  /** Folders too big to be compared, with the place they were moved to. */
  readonly moved: readonly { readonly path: string; readonly to: string }[]
  /** What changed, for a person. */
  readonly diff: string
}

const DIFF_CHARS = 20_000
const KEPT_MS = 30 * 24 * 3_600_000
/** Nobody is asked about it any more. */
const RETIRED = '.undone'
const RETIRED_SETS = 20

interface Found {
  readonly id: string
  readonly owner: string
  readonly workspace: string
  readonly changes: readonly FileChange[]
  /** New folders that are too big to be compared. */
  readonly big: readonly string[]
}

/** Puts the workspace back as it was, and keeps what was found there. */
export function putAside(root: string, kept: string, { big, ...found }: Found): AsideSet {
  const folder = join(root, found.id)
  if (!existsSync(folder)) {
    const made = `${folder}.tmp`
    rmSync(made, { recursive: true, force: true })
    mkdirSync(join(made, 'files'), { recursive: true, mode: 0o700 })
    for (const { before, after } of found.changes)
      for (const digest of [before, after].flatMap(digestOf))
        if (!existsSync(join(made, 'files', digest))) cpSync(join(kept, digest), join(made, 'files', digest))
    const moved = big.map((path, at) => ({ path, to: join(folder, `moved-${at}`) }))
    write(made, { ...found, moved, diff: '' })
    renameSync(made, folder)
  }
  const aside = read(folder)
  if (aside === undefined) throw new Error(`${folder} cannot be read.`)
  const moved = aside.moved.map(({ path, to }) => ({ path, to: away(path, to) }))
  putEntries(new Map(aside.changes.map(({ path, before }) => [path, before])), join(folder, 'files'))
  const whole = { ...aside, moved, diff: diffOf({ ...aside, moved }, folder) }
  write(folder, whole)
  return whole
}

/** Into the data folder where that is on the same disk, else beside itself under a name that means nothing. */
function away(path: string, to: string): string {
  if (existsSync(to) || moveAway(path, to)) return to
  const beside = join(
    dirname(path),
    `${basename(path).replace(/^\.+/, '')}.put-aside-${basename(dirname(to)).slice(-6)}`,
  )
  return moveAway(path, beside) ? beside : path
}

/**
 * The person approved: what the command left comes back. Returns the paths where it cannot, because somebody changed them
 * since, because their folder is gone or a link by now, or because it is a pipe or the like; then nothing is done.
 */
export function putInPlace(root: string, id: string): readonly string[] {
  const folder = join(root, id)
  const aside = read(folder)
  if (aside === undefined) return []
  const files = join(folder, 'files')
  const now = new Map(aside.changes.map(({ path }) => [path, entryAt(path, files)]))
  const made = new Set(aside.changes.flatMap(({ path, after }) => (after?.kind === 'folder' ? [path] : [])))
  const isPlaceless = (path: string): boolean =>
    !made.has(dirname(path)) && entryAt(dirname(path), files)?.kind !== 'folder'
  const changed = aside.changes.filter(({ path, before, after }) => {
    const entry = now.get(path)
    if (!sameEntry(entry, before) && !sameEntry(entry, after)) return true
    return after !== undefined && (after.kind === 'other' || isPlaceless(path))
  })
  const taken = aside.moved.filter(
    ({ path, to }) => lookAt(to) !== undefined && (lookAt(path) !== undefined || isPlaceless(path)),
  )
  if (changed.length + taken.length > 0) return [...changed, ...taken].map(({ path }) => path)
  putEntries(new Map(aside.changes.map(({ path, after }) => [path, after])), files)
  for (const { path, to } of aside.moved) moveAway(to, path)
  return []
}

export const discardAside = (root: string, id: string): void => rmSync(join(root, id), { recursive: true, force: true })

/**
 * It is not wanted. Files stay here under another name for a while, as somebody else may have written them while the
 * command ran; folders too big to be compared do not.
 */
export function retireAside(root: string, id: string): void {
  const folder = join(root, id)
  if (!existsSync(folder)) return
  for (const name of namesIn(folder)) if (name.startsWith('moved-')) discardAside(folder, name)
  renameSync(folder, `${folder}${RETIRED}`)
  const retired = namesIn(root).filter((name) => name.endsWith(RETIRED))
  for (const name of oldestFirst(root, retired).slice(0, -RETIRED_SETS)) discardAside(root, name)
}

/** Everything that waits here for a decision. What lies here for a month is removed. */
export function listAsides(root: string): AsideSet[] {
  return namesIn(root).flatMap((id) => {
    const old = systemClock.now() - statSync(join(root, id)).mtimeMs > KEPT_MS
    if (id.endsWith(RETIRED) && !old) return []
    const aside = id.endsWith('.tmp') || old ? undefined : read(join(root, id))
    if (aside === undefined) discardAside(root, id)
    return aside ?? []
  })
}

const namesIn = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : [])

const oldestFirst = (root: string, names: readonly string[]): string[] => {
  const age = new Map(names.map((name) => [name, statSync(join(root, name)).ctimeMs]))
  return names.toSorted((a, b) => age.get(a)! - age.get(b)!)
}

export const readAside = (root: string, id: string): AsideSet | undefined => read(join(root, id))

function read(folder: string): AsideSet | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, 'aside.json'), 'utf8')) as AsideSet
  } catch {
    return undefined
  }
}

const write = (folder: string, aside: AsideSet): void =>
  writeAtomic(join(folder, 'aside.json'), JSON.stringify(aside), 0o600)

const digestOf = (entry: PathEntry | undefined): string[] => (entry?.kind === 'file' ? [entry.digest] : [])

function diffOf({ workspace, changes, moved }: AsideSet, folder: string): string {
  const files = join(folder, 'files')
  const parts = changes
    .filter(({ before, after }) => before?.kind !== 'folder' || after !== undefined)
    .map(({ path, before, after }) => {
      const name = relative(workspace, path)
      const [old, now] = [before, after].map((entry) => shown(entry, name, files))
      const patch = createTwoFilesPatch(before ? name : '/dev/null', after ? name : '/dev/null', old!, now!, '', '', {
        context: 3,
        maxEditLength: EDITS,
      })
      return (
        patch?.replace(/^=+\n/, '') ??
        `--- ${shownName(name)}\n+++ ${shownName(name)}\n(too different to be compared)\n${now}`
      )
    })
  const folders = moved.map(({ path, to }) => `${shownName(relative(workspace, path))}/ (new; it lies in ${to})\n`)
  const whole = [...parts, ...folders].join('')
  const more = whole.length - DIFF_CHARS
  return more > 0 ? `${whole.slice(0, DIFF_CHARS)}\n[${more} more characters; all of it lies in ${folder}]\n` : whole
}

const SHOWN_BYTES = 20_000
/** Telling two texts apart takes the square of this. */
const EDITS = 300

function shown(entry: PathEntry | undefined, name: string, files: string): string {
  if (entry === undefined) return ''
  if (entry.kind === 'link') return `link to ${entry.target}\n`
  if (entry.kind !== 'file') return `${entry.kind}\n`
  const bytes = keptBytes(entry.digest, files)
  if (bytes.includes(0)) return `${bytes.length} bytes, ${entry.digest.slice(0, 12)}\n`
  const text = bytes.subarray(0, SHOWN_BYTES).toString()
  const more = bytes.length - SHOWN_BYTES
  return [
    entry.mode & 0o111 ? '(a program)\n' : '',
    isSecret(name) ? withoutValues(text) : text,
    more > 0 ? `\n(${more} more bytes, ${entry.digest.slice(0, 12)})\n` : '',
  ].join('')
}

const isSecret = (name: string): boolean => /(^|\/)\.env[^/]*$/i.test(name)

/** Values of such files are secrets: enough is shown to see that one changed. */
const withoutValues = (text: string): string =>
  text.replace(
    /^(\s*(?:export\s+)?[\w.]+\s*=\s*)(.{3})(.+)$/gm,
    (_, name, begin, rest) => `${name}${begin}… (${rest.length} more, ${sha256(rest).slice(0, 4)})`,
  )
