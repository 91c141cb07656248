import { existsSync, lstatSync, readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { isInside, realPath } from '../files/files.ts'
import type { Box } from './box.ts'
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

/** A command can read everything but keys, and write only temp and the workspace, without what is protected there. */
export function mountsFor(box: Box, watch: Pick<Watch, 'readOnly' | 'writable'>): string[] {
  const mounts: Mount[] = [
    { at: '/', args: ['--ro-bind', '/', '/'] },
    { at: '/dev', args: ['--dev', '/dev'] },
    { at: '/proc', args: ['--proc', '/proc'] },
    // Sockets in these folders speak for the person: container engines, agents for keys, the desktop.
    ...['/run', '/var/run'].filter(isFolder).map(emptied),
    ...nameService(),
    ...['/tmp', '/var/tmp'].filter(isFolder).map((at) => ({ at, args: ['--bind', box.temp, at] })),
    ...keys(box).map(emptied),
    emptied(box.home),
    bound(box.workspace),
    ...watch.readOnly.map(readOnly),
    ...box.writable.filter((path) => existsSync(path) && !isInside(path, box.workspace)).map(bound),
    ...watch.writable.map(bound),
  ]
  const depth = ({ at }: Mount): number => (at === '/' ? 0 : at.split('/').length)
  return mounts.sort((a, b) => depth(a) - depth(b)).flatMap(({ args }) => args)
}

const bound = (at: string): Mount => ({ at, args: ['--bind', at, at] })

function emptied(at: string): Mount {
  return { at, args: isFolder(at) ? ['--tmpfs', at] : ['--ro-bind', '/dev/null', at] }
}

const readOnly = (at: string): Mount => ({ at, args: ['--ro-bind', at, at] })

function keys({ userHome, workspace }: Box): string[] {
  const places = userHome === undefined ? [] : keyPlaces.map((name) => join(userHome, name))
  if (userHome !== undefined && holdsKeys(join(userHome, '.npmrc'))) places.push(join(userHome, '.npmrc'))
  return [...places, '/etc/shadow', '/etc/gshadow']
    .filter((path) => existsSync(path))
    .map((path) => realpathSync(path))
    .filter((path) => !isInside(workspace, path))
}

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

function isFolder(path: string): boolean {
  try {
    return lstatSync(path).isDirectory()
  } catch {
    return false
  }
}
