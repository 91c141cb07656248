import { spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { isInside } from '../files/files.ts'
import type { Variables } from '../process/environment.ts'
import { findProgram } from '../process/programs.ts'
import type { Box } from './box.ts'
import { mountsFor } from './mounts.ts'
import { proxyFor } from './network.ts'
import { type Aftermath, watch } from './watch.ts'

/**
 * Shuts a command in with bubblewrap. We call bubblewrap directly, because the sandbox runtime's file rules follow the
 * server's working folder instead of the session's, search a tree before every command, and close all Unix sockets or
 * none. We use only its proxy, which decides about hosts.
 */

export type { Box } from './box.ts'
export type { Aftermath } from './watch.ts'

export interface Enclosed {
  readonly program: readonly [string, ...string[]]
  readonly declared: Variables
  /** To be called when the command has ended, however it did; says what became of protected files. */
  release(): Promise<Aftermath>
}

/** A sandbox was asked for and cannot be made, so the command does not run. */
export class SandboxUnavailable extends Error {}

const INNER_SOCKET = '/run/troupe.sock'
const INNER_PROXY = '/run/troupe-proxy.sock'

export async function enclose(program: readonly [string, ...string[]], box: Box, env: Variables): Promise<Enclosed> {
  if (box.mode === 'off') return { program, declared: {}, release: async () => ({}) }
  const support = sandboxSupport(env, box.mode)
  if (support.program === undefined) throw new SandboxUnavailable(support.why)
  const proxy = box.mode === 'strict' ? await proxyFor(box.hosts) : undefined
  mkdirSync(box.temp, { recursive: true, mode: 0o700 })
  for (const path of box.writable) if (!isInside(path, box.workspace)) makeFile(path)
  const watched = await watch(box, env)
  const args = [
    ...['--die-with-parent', '--new-session', '--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts'],
    ...['--unshare-cgroup-try', '--disable-userns', '--cap-drop', 'ALL'],
    ...(proxy === undefined ? [] : ['--unshare-net']),
    ...mountsFor(box, watched),
    ...(box.socket === undefined ? [] : ['--bind', box.socket, INNER_SOCKET]),
    ...(proxy === undefined ? [] : ['--ro-bind', proxy, INNER_PROXY]),
    ...['--chdir', box.workspace, '--'],
  ]
  return {
    program: [support.program, ...args, ...(proxy === undefined ? program : throughProxy(program))],
    declared: {
      TMPDIR: '/tmp',
      ...withoutBareRepositories,
      ...(box.socket === undefined ? {} : { TROUPE_SOCKET: INNER_SOCKET }),
      ...(proxy === undefined ? {} : proxyVariables),
    },
    release: watched.end,
  }
}

/** A folder that looks like a repository is none: its settings name programs, and anybody may have written them. */
const withoutBareRepositories = {
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_KEY_0: 'safe.bareRepository',
  GIT_CONFIG_VALUE_0: 'explicit',
}

/** A mount needs something to lie on, so a missing file is made: a command that may write a file may also make it. */
function makeFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o644))
  } catch {
    // The file is there, or it cannot be made and the command will say so.
  }
}

/** The only network inside is one port, behind which the proxy decides about each host. */
const throughProxy = (program: readonly string[]): string[] => [
  ...['bash', '-c'],
  `socat TCP-LISTEN:3128,bind=127.0.0.1,fork,reuseaddr UNIX-CONNECT:${INNER_PROXY} >/dev/null 2>&1 &
for _ in {1..200}; do (: </dev/tcp/127.0.0.1/3128) 2>/dev/null && break; sleep 0.01; done; exec "$@"`,
  ...['sandbox', ...program],
]

const proxyAddress = 'http://127.0.0.1:3128'
const proxyVariables = Object.fromEntries([
  ...['http_proxy', 'https_proxy', 'all_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].map((name) => [
    name,
    proxyAddress,
  ]),
  ['no_proxy', ''],
  ['NO_PROXY', ''],
])

export type Support =
  | { readonly program: string; readonly why?: undefined }
  | { readonly program?: undefined; readonly why: string }

const proven = new Set<string>()

/** Says whether the sandbox works here. A failure is checked again each time, as a person can repair it meanwhile. */
export function sandboxSupport(env: Variables, mode: 'workspace' | 'strict' = 'workspace'): Support {
  if (process.platform !== 'linux') return { why: `There is no sandbox for ${process.platform} in this version.` }
  const program = findProgram('bwrap', env)
  if (program === undefined) return { why: `bubblewrap (bwrap) is not on the PATH. ${INSTALL}` }
  if (mode === 'strict' && findProgram('socat', env) === undefined)
    return { why: `socat is not on the PATH. ${INSTALL}` }
  if (proven.has(program)) return { program }
  const args = [
    '--unshare-user',
    '--unshare-pid',
    '--disable-userns',
    '--ro-bind',
    '/',
    '/',
    '--dev',
    '/dev',
    '--proc',
    '/proc',
  ]
  const probe = spawnSync(program, [...args, '--', 'true'], {
    timeout: 5000,
    encoding: 'utf8',
    env: {} as NodeJS.ProcessEnv,
  })
  if (probe.status === 0) {
    proven.add(program)
    return { program }
  }
  const said = (probe.stderr ?? '').split('\n')[0]?.slice(0, 200) || 'it did not answer'
  return {
    why: `bubblewrap cannot make a sandbox here (${said}). Let your user make user namespaces, or use a newer bubblewrap.`,
  }
}

const INSTALL = 'Install bubblewrap and socat (Debian, Ubuntu: apt install bubblewrap socat).'
