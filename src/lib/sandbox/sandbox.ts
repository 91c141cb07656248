import { spawnSync } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { release as kernelRelease } from 'node:os'
import { isInside, realPath } from '../files/files.ts'
import type { Variables } from '../process/environment.ts'
import type { GuardedRequest } from '../process/processes.ts'
import { findProgram } from '../process/programs.ts'
import type { Box } from './box.ts'
import { openCallFilter } from './calls.ts'
import { checkReal, holdDescriptors, makeReal } from './descriptors.ts'
import { innerProxy, innerSocket, mountsFor } from './mounts.ts'
import { useProxy } from './network.ts'
import { type Aftermath, watch } from './watch.ts'

/**
 * Shuts a command in with bubblewrap. We call bubblewrap directly, because the sandbox runtime's file rules follow the
 * server's working folder instead of the session's, search a tree before every command, and close all Unix sockets or
 * none. We use only its proxy, which decides about hosts.
 */

export type { Box } from './box.ts'
export { Swapped } from './descriptors.ts'
export type { Aftermath } from './watch.ts'

export interface Enclosed extends Pick<GuardedRequest, 'descriptors' | 'scoped' | 'caps'> {
  readonly program: readonly [string, ...string[]]
  readonly declared: Variables
  /** To be called when the command has ended, however it did; says what became of protected files. */
  release(): Promise<Aftermath>
}

/** A sandbox was asked for and cannot be made, so the command does not run. */
export class SandboxUnavailable extends Error {}

export async function enclose(program: readonly [string, ...string[]], box: Box, env: Variables): Promise<Enclosed> {
  checkReal(box.workspace)
  if (box.mode === 'off') return { program, declared: {}, caps: box.caps, release: async () => ({}) }
  const support = sandboxSupport(env, box.mode)
  if (support.program === undefined) throw new SandboxUnavailable(support.why)
  checkOpen(box)
  for (const path of box.writable) if (!isInside(path, box.workspace)) makeReal(path)
  const proxy = box.mode === 'strict' ? await useProxy(box.hosts, { own: box.server }) : undefined
  const watched = await watch(box, env).catch((error) => {
    proxy?.release()
    throw error
  })
  const descriptors = holdDescriptors()
  try {
    const mounts = mountsFor(box, watched, { descriptors, proxy: proxy?.path })
    const filter = support.lacks === undefined ? openCallFilter() : undefined
    const filtered = filter === undefined ? [] : ['--seccomp', `${descriptors.take(filter)}`]
    const args = [...namespaces, ...(proxy === undefined ? [] : ['--unshare-net']), ...mounts, ...filtered]
    return {
      program: [support.program, ...args, '--chdir', box.folder ?? box.workspace, '--', ...firstStep(program, box)],
      declared: {
        TMPDIR: '/tmp',
        ...withoutBareRepositories,
        ...(box.socket === undefined ? {} : { TROUPE_SOCKET: innerSocket }),
        ...(proxy === undefined ? {} : proxyVariables),
      },
      descriptors: descriptors.all,
      scoped: true,
      caps: box.caps,
      release() {
        descriptors.close()
        proxy?.release()
        return watched.end()
      },
    }
  } catch (error) {
    descriptors.close()
    proxy?.release()
    watched.drop()
    throw error
  }
}

/** A folder that looks like a repository is none: its settings name programs, and anybody may have written them. */
const withoutBareRepositories = {
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_KEY_0: 'safe.bareRepository',
  GIT_CONFIG_VALUE_0: 'explicit',
}

const namespaces = [
  ...['--die-with-parent', '--new-session', '--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts'],
  ...['--unshare-cgroup-try', '--disable-userns', '--cap-drop', 'ALL'],
]

/** A workspace that is hidden as a whole leaves nothing to work in. */
function checkOpen({ workspace, home, hidden }: Box): void {
  if (workspace === realPath(home)) throw new SandboxUnavailable(`${workspace} is troupe's own data folder.`)
  if (hidden.some((path) => isInside(workspace, path)))
    throw new SandboxUnavailable(`A rule denies reading ${workspace}, the folder in which commands would run.`)
}

/**
 * Sets what can be set only inside: how many processes there may be, as outside they would be counted with all others
 * of the user. In strict the only network is one port, behind which the proxy decides about each host.
 */
const firstStep = (program: readonly string[], { caps, mode }: Box): string[] => {
  const processes = countsInside ? `ulimit -u ${caps.processes} 2>/dev/null; ` : ''
  return ['bash', '-c', `${processes}${mode === 'strict' ? TO_PROXY : ''}exec "$@"`, 'sandbox', ...program]
}

const TO_PROXY = `socat TCP-LISTEN:3128,bind=127.0.0.1,fork,reuseaddr UNIX-CONNECT:${innerProxy} >/dev/null 2>&1 &
for _ in {1..200}; do (: </dev/tcp/127.0.0.1/3128) 2>/dev/null && break; sleep 0.01; done; `

/** Since Linux 5.14 the processes of a user are counted per user namespace. */
const [major = 0, minor = 0] = kernelRelease().split('.').map(Number)
const countsInside = major > 5 || (major === 5 && minor >= 14)

const proxyAddress = 'http://127.0.0.1:3128'
const proxyVariables = Object.fromEntries([
  ...['http_proxy', 'https_proxy', 'all_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].map((name) => [
    name,
    proxyAddress,
  ]),
  ['no_proxy', ''],
  ['NO_PROXY', ''],
])

type Support =
  | {
      readonly program: string
      readonly why?: undefined
      /** What of the sandbox this machine cannot do, in a sentence. */
      readonly lacks?: string
    }
  | { readonly program?: undefined; readonly why: string; readonly lacks?: undefined }

const proven = new Map<string, Support>()

/** Says whether the sandbox works here. A failure is checked again each time, as a person can repair it meanwhile. */
export function sandboxSupport(env: Variables, mode: 'workspace' | 'strict' = 'workspace'): Support {
  if (process.platform !== 'linux') return { why: `There is no sandbox for ${process.platform} in this version.` }
  const program = findProgram('bwrap', env)
  if (program === undefined) return { why: `bubblewrap (bwrap) is not on the PATH. ${INSTALL}` }
  if (mode === 'strict' && findProgram('socat', env) === undefined)
    return { why: `socat is not on the PATH. ${INSTALL}` }
  const support = proven.get(program) ?? prove(program)
  if (support.program !== undefined) proven.set(program, support)
  if (mode === 'strict' && support.lacks) return { why: `${support.lacks} Strict needs that.` }
  return support
}

function prove(program: string): Support {
  const filter = openCallFilter()
  const unfiltered = filter === undefined ? `it has none for ${process.arch}` : tryOut(program, filter)
  if (filter !== undefined) closeSync(filter)
  if (unfiltered === undefined) return { program }
  const said = tryOut(program)
  if (said === undefined)
    return {
      program,
      lacks: `Commands run without a filter of system calls (${unfiltered}): they can make sockets of every kind, such as those by which a virtual machine speaks to its host.`,
    }
  return {
    why: `bubblewrap cannot make a sandbox here (${said}). Let your user make user namespaces, or install the newest bubblewrap of your system (0.10, or an older one with its security updates).`,
  }
}

/** What bubblewrap says when it cannot do what we need of it; undefined when it can. */
function tryOut(program: string, filter?: number): string | undefined {
  const mounts = ['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--ro-bind-fd', '3', '/']
  const filtered = filter === undefined ? [] : ['--seccomp', '4']
  const root = openSync('/', 'r')
  const probe = spawnSync(program, [...namespaces, ...mounts, ...filtered, '--', 'true'], {
    timeout: 5000,
    encoding: 'utf8',
    env: {} as NodeJS.ProcessEnv,
    stdio: ['ignore', 'ignore', 'pipe', root, ...(filter === undefined ? [] : [filter])],
  })
  closeSync(root)
  if (probe.status === 0) return undefined
  return (probe.stderr ?? '').split('\n')[0]?.slice(0, 200) || 'it did not answer'
}

const INSTALL = 'Install bubblewrap and socat (Debian, Ubuntu: apt install bubblewrap socat).'
