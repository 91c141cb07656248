import { dirname, join, relative } from 'node:path'
import { isInside } from '../files/files.ts'
import { visible } from '../hidden.ts'
import type { Variables } from '../process/environment.ts'
import type { FileChange } from './aside.ts'
import type { GitWork } from './box.ts'
import { identityOf, keptBytes, lookAt, type PathEntry, parted, sameEntry, type Tree, treeAt } from './entries.ts'
import { protectedUnder } from './protected.ts'
import { checkedOut, differHarmlessly, isPlain, programsOf, type Repository, worktreesOf } from './repositories.ts'
import { linksIn } from './repository-links.ts'

/** How protected files were before a command, and what it may change of them. */
export interface Before {
  readonly workspace: string
  readonly hidden: readonly string[]
  /** The person's home folder, where the command works in it. */
  readonly personal?: string
  /** Everything that is compared, by the path it begins at; an empty tree where nothing was. */
  readonly trees: Map<string, Tree>
  /** Paths that the command cannot change in place, because they are mounted. */
  readonly shut: readonly string[]
  /** How those of them were that are no repository: whoever replaces one from outside takes the mount away. */
  readonly mounted: ReadonlyMap<string, Tree>
  /** Each protected path by what it is, wherever its folder is moved. */
  readonly known: ReadonlyMap<string, string>
  readonly writable: readonly string[]
  readonly git: GitWork
  readonly repositories: readonly Repository[]
  /** Folders that could not be looked into already then. */
  readonly unread: readonly string[]
}

interface Found {
  readonly changes: readonly FileChange[]
  /** Folders that are too big to be compared. */
  readonly big: readonly string[]
  /** Folders in which git made a repository or a worktree, as it may. */
  readonly made: readonly string[]
  readonly cut: boolean
  /** Folders that can no longer be looked into. */
  readonly unread: readonly string[]
}

/** What is other than before, and was not permitted to the command. */
export async function changedWithout(
  before: Before,
  kept: string,
  env: Variables,
  permits: (path: string) => boolean,
): Promise<Omit<Found, 'made'> & { readonly stands: ReadonlyMap<string, PathEntry | undefined> }> {
  const found = await differences(before, kept, env)
  const refused: FileChange[] = []
  for (const change of found.changes) {
    if (isCovered(before, change) || permits(change.path) || (await isGitsOwn(before, change, kept, env))) continue
    refused.push(change)
  }
  const checked = await fromHistory(before, found.made, refused, env)
  const left = refused.filter((change) => !checked.has(change.path) && !isCopy(before, found.made, change))
  const ends = left.filter((change) => isEnd(change, found.changes))
  return {
    changes: left.filter(({ path }) => ends.some((end) => isInside(end.path, path))),
    stands: new Map(found.changes.map((change) => [change.path, left.includes(change) ? change.before : change.after])),
    big: found.big.filter((path) => !isCovered(before, { path }) && !permits(path)),
    cut: found.cut,
    unread: found.unread,
  }
}

/** A call that was approved for a path may change it, all below it, and make the folders it needs. */
export const isCovered = ({ writable }: Pick<Before, 'writable'>, { path, after }: FileChange): boolean =>
  writable.some((one) => isInside(path, one) || (after?.kind === 'folder' && isInside(one, path)))

async function differences(before: Before, kept: string, env: Variables): Promise<Found> {
  const changes: FileChange[] = []
  const big: string[] = []
  const made: string[] = []
  const compare = (top: string, then: Tree): void => {
    const now = treeAt(top, kept)
    if (now === undefined) big.push(top)
    changes.push(...differing(then, now ?? new Map()))
  }
  for (const [top, then] of before.trees) if (lookAt(dirname(top))) compare(top, then)
  const { paths, cut, unread } = await protectedUnder(before.workspace, before.hidden, before.personal)
  const links = before.repositories.map(({ place }) => linksIn(place))
  const opened = before.repositories.flatMap(({ place }) => [...programsOf(place), ...worktreesOf(place)])
  for (const path of [...paths, ...opened, ...links.flatMap(({ paths }) => paths)]) {
    // The person's own programs replace such files all the time.
    const isPersonal = dirname(path) === before.personal && before.shut.includes(path)
    if (before.trees.has(path) || isPersonal) continue
    const from = before.known.get(identityOf(path) ?? '')
    const then = before.mounted.get(path)
    if (from !== undefined && (before.shut.includes(from) || from === path) && !(then && parted(path))) continue
    if (before.git.makes && path.endsWith('/.git') && (await isPlain(path, before.workspace, env)))
      made.push(dirname(path))
    else compare(path, then ?? moved(before.trees.get(from ?? ''), from ?? '', path))
  }
  return {
    changes,
    big,
    made,
    cut: cut || links.some((one) => one.cut),
    unread: unread.filter((path) => !before.unread.includes(path)),
  }
}

const differing = (then: Tree, now: Tree): FileChange[] =>
  [...new Set([...then.keys(), ...now.keys()])]
    .map((path) => ({ path, before: then.get(path), after: now.get(path) }))
    .filter(({ before, after }) => !sameEntry(before, after))

/** The tree as it would be when its folder was only renamed. */
const moved = (tree: Tree | undefined, from: string, to: string): Tree =>
  new Map([...(tree ?? [])].map(([path, entry]): [string, PathEntry] => [join(to, path.slice(from.length)), entry]))

/** What git writes for its own sake: where branches and remotes are, and where worktrees and submodules are. */
async function isGitsOwn(
  { git, repositories, workspace }: Before,
  { path, before, after }: FileChange,
  kept: string,
  env: Variables,
): Promise<boolean> {
  if (repositories.length === 0) return false
  if (path.endsWith('/.git') && after?.kind === 'file') return await isPlain(path, workspace, env)
  const repository = repositories.find((one) => isInside(path, one.place))
  if (repository === undefined) return false
  const { place, top } = repository
  const [part, ...rest] = path.slice(place.length + 1).split('/')
  if (part === 'worktrees') return after === undefined || isOwnWorktree(rest.at(-1), after, kept)
  if (part === 'modules' && git.makes && before === undefined) return await isPlain(moduleOf(path), workspace, env)
  if (!path.endsWith('/config') || git.config === 'closed') return false
  if (git.config === 'open') return true
  const [then, now] = [before, after].map((entry) => (entry?.kind === 'file' ? join(kept, entry.digest) : undefined))
  return now !== undefined && (await differHarmlessly(then, now, { top, workspace }, env))
}

const moduleOf = (path: string): string =>
  path.replace(/\/(config|config\.worktree|commondir|hooks|remotes|branches|info\/attributes)(\/.*)?$/, '')

/** A worktree says where it is, and that its repository is the one two folders up. */
const isOwnWorktree = (name: string | undefined, after: PathEntry, kept: string): boolean =>
  after.kind === 'file' &&
  (name === 'gitdir' || (name === 'commondir' && keptBytes(after.digest, kept).toString().trim() === '../..'))

/** What an approved git command checked out is as the repository has it. */
async function fromHistory(
  { git, repositories }: Before,
  made: readonly string[],
  changes: readonly FileChange[],
  env: Variables,
): Promise<ReadonlySet<string>> {
  if (!git.approved || changes.length === 0) return new Set()
  const found = new Set<string>()
  for (const top of [...repositories.map((one) => one.top), ...made]) {
    const paths = changes.map(({ path }) => path).filter((path) => isInside(path, top) && !path.includes('/.git/'))
    for (const path of paths.length > 0 ? await checkedOut(top, paths, env) : []) found.add(path)
  }
  return found
}

/** A new worktree has the same files as the one beside it. */
function isCopy({ trees, repositories }: Before, made: readonly string[], { path, after }: FileChange): boolean {
  const worktree = made.find((top) => isInside(path, top) && lookAt(join(top, '.git'))?.isFile())
  if (worktree === undefined || after === undefined) return false
  return repositories.some(({ top }) => {
    const original = join(top, path.slice(worktree.length))
    return [...trees.values()].some((tree) => sameEntry(tree.get(original), after))
  })
}

/** No folder that came or went only because of what is below it: such a one counts when something below it does. */
const isEnd = ({ path, before, after }: FileChange, all: readonly FileChange[]): boolean =>
  (before?.kind ?? 'folder') !== 'folder' ||
  (after?.kind ?? 'folder') !== 'folder' ||
  !all.some((other) => other.path.startsWith(`${path}/`))

const NAMED = 5

/** What could not be looked at, as a sentence. */
export function noteOn({ cut, unread }: Pick<Found, 'cut' | 'unread'>, workspace: string): { readonly note?: string } {
  const closed = unread.slice(0, NAMED).map((path) => visible(relative(workspace, path)))
  const more = unread.length > NAMED ? ` and ${unread.length - NAMED} more` : ''
  const notes = [
    ...(cut ? ['The folder has too many files: protected names deep in it were not looked for.'] : []),
    ...(closed.length > 0 ? [`It closed ${closed.join(', ')}${more}: what is in there was not looked at.`] : []),
  ]
  return notes.length > 0 ? { note: notes.join(' ') } : {}
}
