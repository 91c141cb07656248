import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isInside, realPath } from '../files/files.ts'
import type { Box } from './box.ts'
import type { Descriptors } from './descriptors.ts'
import { lookAt } from './entries.ts'
import { listeningSockets } from './sockets.ts'
import type { Watch } from './watch.ts'

interface Mount {
  readonly at: string
  readonly args: readonly string[]
}

/** Where people and programs keep keys. */
const keyPlaces = [
  ...['.ssh', '.gnupg', '.aws', '.azure', '.kube', '.docker', '.netrc', '.git-credentials', '.pypirc', '.pgpass'],
  ...['.password-store', '.mozilla', '.claude.json', '.claude/.credentials.json', '.codex', '.gemini'],
  ...['.config/gcloud', '.config/gh', '.config/git/credentials', '.config/op', '.config/google-chrome'],
  ...['.config/chromium', '.local/share/keyrings', '.config/containers', '.cargo/credentials.toml'],
]

/** Sockets in these folders speak for the person: container engines, agents for keys, the desktop. */
const runFolders = ['/run', '/var/run']
const tempFolders = ['/tmp', '/var/tmp']

/** Where in the sandbox the server's socket and the proxy's are. */
export const innerSocket = '/run/troupe.sock'
export const innerProxy = '/run/troupe-proxy.sock'
/** Where in the sandbox the folder is that the box shows. */
export const innerFolder = '/run/troupe-shown'

/**
 * A command can read everything but keys, and write only temp and the workspace, without what is protected there. A
 * folder is mounted before what lies in it, and of two mounts at one place the later counts: what is hidden comes last,
 * and nothing is mounted inside it but the workspace.
 */
export function mountsFor(
  box: Box,
  watched: Pick<Watch, 'readOnly' | 'writable'>,
  given: { readonly descriptors: Descriptors; readonly proxy: string | undefined },
): string[] {
  const never = [realPath(box.home), ...box.hidden]
  const hidden = outermost([...never, ...keys(box), ...sockets(box)], box)
  const notSeen = [...hidden, ...runFolders, ...tempFolders]
  const readable = box.readable.filter((at) => isBehind(at, notSeen, box) && !isBehind(at, never, box) && isPlain(at))
  const unwritable = [...watched.readOnly, ...box.readOnly.map((at) => within(at, box))]
  const mounts: Mount[] = [
    { at: '/', args: ['--ro-bind', '/', '/'] },
    { at: '/dev', args: ['--dev', '/dev'] },
    { at: '/proc', args: ['--proc', '/proc'] },
    ...runFolders.filter(isFolder).map(emptied),
    ...nameService(),
    ...['/dev/shm', ...tempFolders.filter(isFolder)].map((at) => inMemory(at, box)),
    bound(box.workspace),
    ...above([...hidden, ...box.readOnly], box)
      .filter(outside(unwritable))
      .map(bound),
    ...unwritable.filter((at) => !isBehind(at, hidden, box)).map(kept),
    ...[...box.writable.filter(outside([box.workspace])), ...watched.writable]
      .filter(outside(box.readOnly))
      .filter((at) => !isBehind(at, never, box))
      .map(bound),
    ...readable.map(kept),
    ...[...hidden, ...socketsIn([...box.writable, ...readable])].map(emptied),
    ...(box.seen?.readable ?? []).map(kept),
    ...(box.seen?.writable ?? []).map(bound),
    ...(box.socket === undefined ? [] : [{ at: innerSocket, args: ['--bind', box.socket, innerSocket] }]),
    ...(box.shown === undefined ? [] : [{ at: innerFolder, args: ['--ro-bind', box.shown, innerFolder] }]),
    ...(given.proxy === undefined ? [] : [{ at: innerProxy, args: ['--ro-bind', given.proxy, innerProxy] }]),
  ]
  const depth = ({ at }: Mount): number => (at === '/' ? 0 : at.split('/').length)
  const opened = mounts.sort((a, b) => depth(a) - depth(b)).flatMap(({ args }) => asOpened(args, given.descriptors))
  return [...opened, ...closing(hidden)]
}

const bound = (at: string): Mount => ({ at, args: ['--bind', at, at] })

/** Gone with the command, also when everything is killed, and out of the way of the disk that holds the database. */
const inMemory = (at: string, { caps }: Box): Mount => ({ at, args: ['--size', `${caps.tempBytes}`, '--tmpfs', at] })

const kept = (at: string): Mount => ({ at, args: ['--ro-bind', at, at] })

function emptied(at: string): Mount {
  return { at, args: isFolder(at) ? ['--tmpfs', at] : ['--ro-bind', '/dev/null', at] }
}

/** What is mounted where it is already is handed over opened; what is not there any more is left out. */
function asOpened(args: readonly string[], descriptors: Descriptors): readonly string[] {
  const [how, from, to] = args
  if (from === undefined || from !== to || from === '/') return args
  const number = descriptors.open(from)
  return number === undefined ? [] : [`${how}-fd`, String(number), to]
}

const outside =
  (places: readonly string[]) =>
  (path: string): boolean =>
    !places.some((place) => isInside(path, place))

/** Would a mount here show something of these places? The workspace may lie in one; what is in it is the session's own. */
const isBehind = (at: string, places: readonly string[], { workspace }: Box): boolean =>
  places.some((place) => isInside(at, place) && !(isInside(workspace, place) && isInside(at, workspace)))

/** The paths that are there, without those inside another. */
function outermost(paths: readonly string[], box: Box): string[] {
  const there = [...new Set(paths)].filter((path) => existsSync(path))
  return there.filter((path) => {
    const others = there.filter((other) => other !== path)
    return !isBehind(path, others, box)
  })
}

/** What lies around the workspace counts as the workspace. */
const within = (path: string, { workspace }: Box): string => (isInside(workspace, path) ? workspace : path)

/** The folders between the workspace and these paths: a mount of their own keeps them from being renamed. */
function above(paths: readonly string[], { workspace }: Box): string[] {
  const found = new Set<string>()
  for (const path of paths.filter((each) => isInside(each, workspace) && each !== workspace))
    for (let folder = dirname(path); folder !== workspace; folder = dirname(folder)) found.add(folder)
  return [...found]
}

/**
 * Nothing can be written into what we made empty, nor into /proc: there root could change the system even without
 * capabilities. This comes last, as the mounts before need places to lie on.
 */
const closing = (hidden: readonly string[]): string[] =>
  [...runFolders, ...hidden, '/dev', '/proc'].filter(isFolder).flatMap((at) => ['--remount-ro', at])

function keys({ userHome, workspace, writable, readable }: Box): string[] {
  const places = userHome === undefined ? [] : keyPlaces.map((name) => join(userHome, name))
  if (userHome !== undefined && holdsKeys(join(userHome, '.npmrc'))) places.push(join(userHome, '.npmrc'))
  return [...places, '/etc/shadow', '/etc/gshadow']
    .filter((path) => existsSync(path))
    .map((path) => realpathSync(path))
    .filter((path) => path !== workspace && ![...writable, ...readable].includes(path))
}

/** Sockets in the workspace may be those of other commands; in a person's whole home folder they are the person's. */
function sockets({ userHome, workspace }: Box): string[] {
  const own = userHome !== undefined && isInside(userHome, workspace) ? [] : [workspace]
  const elsewhere = [...runFolders, ...tempFolders, ...own]
  return listeningSockets().filter((path) => !elsewhere.some((place) => isInside(path, place)))
}

/** What may be written or read is no way to who listens there. */
const socketsIn = (places: readonly string[]): string[] =>
  listeningSockets().filter((path) => places.some((place) => isInside(path, place)))

/** Commands need a package manager's settings, so the file is emptied only when it holds a key. */
function holdsKeys(file: string): boolean {
  try {
    return /_auth|_password/i.test(readFileSync(file, 'utf8'))
  } catch {
    return false
  }
}

/** The file by which host names are looked up, when it is a link into /run. */
function nameService(): Mount[] {
  const real = realPath('/etc/resolv.conf')
  return isInside(real, '/run') && existsSync(real) ? [{ at: real, args: ['--ro-bind', real, real] }] : []
}

const isPlain = (path: string): boolean => isFolder(path) || lookAt(path)?.isFile() === true

const isFolder = (path: string): boolean => lookAt(path)?.isDirectory() === true
