import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import { isInside, realPath, sha256, writeAtomic } from '../files/files.ts'
import { isProtectedName } from '../files/paths.ts'
import { newId } from '../ids.ts'
import type { Variables } from '../process/environment.ts'
import { type AsideSet, putAside } from './aside.ts'
import { besideAll } from './beside.ts'
import type { Box } from './box.ts'
import { type Before, changedWithout, isCovered, noteOn } from './changes.ts'
import { entryAt, identityOf, lookAt, ownFolders, type PathEntry, parted, type Tree, treeAt } from './entries.ts'
import { protectedUnder } from './protected.ts'
import { programsOf, type Repository, repositoryFrom, worktreesOf } from './repositories.ts'
import { linksIn } from './repository-links.ts'

/**
 * A mount needs something to lie on, and a file that is one cannot be replaced. So most protected files are not mounted:
 * they are remembered before a command and compared when it has ended. What makes git run programs acts on the person at
 * once, so it is mounted read-only wherever it exists. The record of a command lets the next start look after a crash.
 */

export interface Watch {
  readonly readOnly: readonly string[]
  readonly writable: readonly string[]
  /** The command was not started. */
  drop(): void
  /** The command has ended: what it was not permitted to change is put aside. */
  end(): Promise<Aftermath>
}

export interface Aftermath {
  readonly aside?: AsideSet
  /** What could not be looked at, as a sentence. */
  readonly note?: string
}

interface Running extends Before {
  readonly id: string
  readonly owner: string
}

const MOUNTS = 500
const running = new Set<Running>()

export const watch = (box: Box, env: Variables): Promise<Watch> => inTurn(() => begin(box, env))

async function begin(box: Box, env: Variables): Promise<Watch> {
  const kept = keptIn(box)
  const repositories = await repositoriesOf(box, env)
  const working = repositories.length > 0
  const personal = personalOf(box)
  const isPersonal = (path: string): boolean => dirname(path) === personal && !isProtectedName(basename(path), true)
  const { paths, unread } = await protectedUnder(box.workspace, hiddenIn(box), personal)
  const allowed = (path: string): boolean => isCovered(box, { path, after: { kind: 'folder' } })
  const closed = paths.filter((path) => isGit(path) && !repositories.some(({ place }) => place === path))
  const beside = await besideAll(box.workspace, repositories, closed, env)

  const trees = new Map<string, Tree>()
  const mounted = new Map<string, Tree>()
  const shut: string[] = []
  const consider = (path: string, mount: boolean): void => {
    const mounts = mount && isNoLink(path)
    if (mounts) for (const one of isGit(path) ? programsOf(path) : [path]) parted(one)
    const tree = mounts && (isGit(path) || isPersonal(path)) ? undefined : treeAt(path, kept)
    if (tree !== undefined) (mounts ? mounted : trees).set(path, tree)
    if ((mounts || tree === undefined) && !box.writable.some((one) => isInside(path, one))) shut.push(path)
  }
  for (const [at, path] of closed.entries()) consider(path, at < MOUNTS && (!working || !lookAt(path)?.isFile()))
  for (const path of [...paths.filter((path) => !isGit(path)), ...beside]) {
    const ours = basename(path) === '.troupe' || beside.includes(path) || isPersonal(path)
    consider(
      path,
      lookAt(path) !== undefined &&
        !allowed(path) &&
        !isMadeIn(path, box) &&
        (box.lasting || isLent(path) || (ours && !working)),
    )
  }
  shut.push(...ownFolders(paths).filter((path) => !shut.some((one) => isInside(path, one))))
  const targets = paths.flatMap((path) => targetOf(path, box))
  for (const path of targets) consider(path, box.lasting || isGit(path))
  const programs = repositories.flatMap(({ place }) => programsOf(place))
  programs.forEach(parted)
  const leading = repositories.flatMap(({ place }) => [...worktreesOf(place), ...linksIn(place).paths])
  for (const path of new Set([...programs, ...leading])) consider(path, false)

  for (const path of [...trees.keys()]) trees.set(path, asBefore(path, paths.includes(path), trees.get(path)!))

  const before: Running = {
    id: newId('inbox'),
    owner: box.owner,
    workspace: box.workspace,
    hidden: hiddenIn(box),
    ...(personal && { personal }),
    trees,
    shut,
    mounted,
    known: new Map([...paths, ...targets].map((path) => [identityOf(path) ?? path, path])),
    writable: box.writable,
    git: box.git,
    repositories,
    unread,
  }
  remember(box, before)
  running.add(before)
  const open = box.git.config === 'closed' ? [] : programs.filter((path) => path.endsWith('/config'))
  return {
    readOnly: [...shut, ...programs.filter((path) => lookAt(path) && isNoLink(path) && !open.includes(path))],
    writable: [
      ...repositories.map(({ place }) => place),
      ...box.writable.filter((path) => lookAt(path) && shut.some((one) => isInside(path, one))),
    ],
    drop: () => forget(box, before),
    end: () => end(box, before, env, box.permits),
  }
}

/** The command may make something in it, which it could not in what is mounted read-only. */
const isMadeIn = (path: string, { writable }: Box): boolean =>
  writable.some((one) => isInside(one, path) && lookAt(one) === undefined)

/** Another command runs that was approved for this: it may change it, and this one finds it read-only. */
const isLent = (path: string, self?: Running): boolean =>
  [...running].some((other) => other !== self && isCovered(other, { path, after: { kind: 'folder' } }))

/** A command that still runs may have changed the file already: then it counts as it was before that one. */
function asBefore(path: string, named: boolean, now: Tree): Tree {
  for (const { workspace, trees, shut, known } of running) {
    if (!isInside(path, workspace)) continue
    const then = trees.get(path)
    if (then !== undefined) return new Map(then)
    const isNew = named && !shut.includes(path) && ![...known.values()].includes(path)
    if (isNew && ![...trees.keys()].some((top) => isInside(path, top))) return new Map()
  }
  return now
}

/** Looks after the commands that an earlier server left, once none of them runs any more. */
export async function sweepWatched(box: Pick<Box, 'watched' | 'aside'>, env: Variables): Promise<void> {
  for (const record of recordsIn(box)) await end(box, record, env, () => false)
  rmSync(keptIn(box), { recursive: true, force: true })
}

/** Whether a command that runs could have changed this, so that nobody should act on it before the command has ended. */
export const isOpenToCommand = (path: string): boolean =>
  [...running].some(({ trees }) => [...trees.keys()].some((top) => isInside(path, top)))

/** Changes a file of ours while nobody looks at what commands did, so that none of them is taken for it. */
export const writeOurselves = <T>(
  path: string,
  content: string,
  box: Pick<Box, 'watched'>,
  write: () => Promise<T>,
): Promise<T> =>
  inTurn(async () => {
    const value = await write()
    // Only what is compared is kept: any other file may hold what must not lie in the data folder.
    const entry = [...running].some((one) => topOf(path, one)) ? entryAt(path, keptIn(box)) : undefined
    if (entry?.kind === 'file' && entry.digest === sha256(content)) noteStands(new Map([[path, entry]]), box)
    return value
  })

/**
 * We made exactly this stand, or be gone: no command that runs did it. What really stands there now is not asked for, as
 * a command may have changed it again already.
 */
export function noteStands(stands: ReadonlyMap<string, PathEntry | undefined>, box: Pick<Box, 'watched'>): void {
  for (const before of running) {
    const noted = [...stands].filter(([path, entry]) => noteOne(path, entry, before))
    if (noted.length > 0) remember(box, before)
  }
}

/** False when the path is nothing that is compared. */
function noteOne(path: string, entry: PathEntry | undefined, before: Running): boolean {
  const top = topOf(path, before)
  if (top === undefined) return false
  const { trees } = before
  const tree: Tree = trees.get(top) ?? new Map()
  trees.set(top, tree)
  if (entry === undefined) tree.delete(path)
  else {
    tree.set(path, entry)
    // With the folders that it needs.
    for (let at = path; at !== top; at = dirname(at)) tree.set(dirname(at), { kind: 'folder' })
  }
  return true
}

/** Where the comparison of a path begins; undefined when it is nothing that is compared. */
function topOf(path: string, { trees, shut, workspace }: Running): string | undefined {
  if (!isInside(path, workspace) || shut.some((one) => isInside(path, one) && path !== one)) return undefined
  return [...trees.keys()].find((one) => isInside(path, one)) ?? protectedTop(path, workspace)
}

/** Where a protected name begins on the way to a path. */
function protectedTop(path: string, workspace: string): string | undefined {
  const names = relative(workspace, path).split(sep)
  const at = names.findIndex((name, index) => isProtectedName(name, index < names.length - 1))
  return at < 0 ? undefined : join(workspace, ...names.slice(0, at + 1))
}

let last: Promise<unknown> = Promise.resolve()

/** One look at a time: two that end together must not both find, or put back, the same change. */
function inTurn<T>(look: () => Promise<T>): Promise<T> {
  const mine = last.then(look)
  last = mine.catch(() => {})
  return mine
}

const ended = new WeakMap<Running, Promise<Aftermath>>()

function end(
  box: Pick<Box, 'watched' | 'aside'>,
  before: Running,
  env: Variables,
  permits: Box['permits'],
): Promise<Aftermath> {
  const known = ended.get(before) ?? inTurn(() => settle(box, before, env, permits))
  ended.set(before, known)
  return known
}

async function settle(
  box: Pick<Box, 'watched' | 'aside'>,
  before: Running,
  env: Variables,
  permits: Box['permits'],
): Promise<Aftermath> {
  const kept = keptIn(box)
  const found = await changedWithout(before, kept, env, (path) => permits(path) || isLent(path, before))
  const { id, owner, workspace } = before
  const { changes, big } = found
  const some = changes.length + big.length > 0
  const aside = some ? putAside(box.aside, kept, { id, owner, workspace, changes, big }) : undefined
  forget(box, before)
  noteStands(found.stands, box)
  return {
    ...(aside && { aside }),
    ...noteOn(found, workspace),
  }
}

function forget(box: Pick<Box, 'watched'>, before: Running): void {
  running.delete(before)
  rmSync(recordOf(box, before.id), { force: true })
}

/** The repositories in which the call lets git work. */
async function repositoriesOf({ git, workspace }: Box, env: Variables): Promise<Repository[]> {
  const found = await Promise.all(git.folders.map((folder) => repositoryFrom(folder, workspace, env)))
  return [...new Map(found.filter((one) => one !== undefined).map((one) => [one.place, one])).values()]
}

/** What a protected link leads to is protected too, as far as it lies in the workspace. */
function targetOf(path: string, { workspace }: Box): string[] {
  const real = isNoLink(path) ? path : realPath(path)
  return real !== path && isInside(real, workspace) && !isInside(path, real) ? [real] : []
}

function personalOf({ userHome, workspace }: Box): string | undefined {
  const real = userHome === undefined ? undefined : realPath(userHome)
  return real !== undefined && isInside(real, workspace) ? real : undefined
}

const isGit = (path: string): boolean => basename(path) === '.git'
const isNoLink = (path: string): boolean => !lookAt(path)?.isSymbolicLink()

const hiddenIn = ({ home }: Box): string[] => [home, realPath(home)]

const keptIn = ({ watched }: Pick<Box, 'watched'>): string => join(watched, 'kept')

const recordOf = ({ watched }: Pick<Box, 'watched'>, id: string): string => join(watched, `${id}.json`)

function remember(box: Pick<Box, 'watched'>, before: Running): void {
  mkdirSync(keptIn(box), { recursive: true, mode: 0o700 })
  const listed = (trees: ReadonlyMap<string, Tree>) => [...trees].map(([top, tree]) => [top, [...tree]])
  const { trees, mounted, known } = before
  const record = { ...before, trees: listed(trees), mounted: listed(mounted), known: [...known] }
  writeAtomic(recordOf(box, before.id), JSON.stringify(record), 0o600)
}

function recordsIn(box: Pick<Box, 'watched'>): Running[] {
  mkdirSync(box.watched, { recursive: true, mode: 0o700 })
  return readdirSync(box.watched)
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => {
      try {
        const record = JSON.parse(readFileSync(join(box.watched, name), 'utf8'))
        const [trees, mounted] = [record.trees, record.mounted].map(
          (listed: [string, [string, PathEntry][]][]) => new Map(listed.map(([top, tree]) => [top, new Map(tree)])),
        )
        return [{ unread: [], ...record, trees, mounted, known: new Map(record.known) }]
      } catch {
        // A crash cut the record off before its command was started.
        return []
      }
    })
}
