import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { childEnvironment, type Variables } from '../process/environment.ts'

interface GitResult {
  readonly exitCode: number
  readonly output: string
  readonly errors: string
}

interface GitOptions {
  readonly cwd: string
  readonly env: Variables
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
}

/** git could not be started or was stopped. A git that ran and failed says so in its result. */
class GitError extends Error {}

const OUTPUT_BYTES = 16 * 1024 * 1024
const TIMEOUT_MS = 60_000

/**
 * Runs git for the server itself. A repository can name programs for git to run, and none of them runs here: no hooks,
 * filters, file monitors, external diffs, pagers, editors, key helpers, signing, or transports but the usual ones.
 */
export async function runGit(args: readonly string[], options: GitOptions): Promise<GitResult> {
  const hooks = mkdtempSync(join(tmpdir(), 'troupe-hooks-'))
  try {
    const filters = await filtersIn(hooks, options)
    return await start([...safe(hooks), ...filters, ...withoutPrograms(args)], options)
  } finally {
    rmSync(hooks, { recursive: true, force: true })
  }
}

export interface GitSetting {
  readonly key: string
  readonly value: string
  /** The file that says so. */
  readonly file: string
}

const CONFIG_MS = 5000

/** What git reads in a folder, or in one file alone, for keys that match. Reading settings runs none of them. */
export async function gitSettings(
  { keys, file }: { keys: string; file?: string },
  options: GitOptions,
): Promise<GitSetting[]> {
  const from = file === undefined ? ['--includes'] : ['--no-includes', '--file', file]
  const args = ['config', ...from, '--show-origin', '-z', '--get-regexp', keys]
  const { exitCode, output, errors } = await start(args, { timeoutMs: CONFIG_MS, ...options })
  if (exitCode > 1) throw new GitError(`git cannot read its settings: ${errors.slice(0, 200)}`)
  const fields = output.split('\0')
  return fields.flatMap((origin, at) => {
    if (at % 2 === 1 || at + 1 >= fields.length) return []
    const [key = '', ...value] = fields[at + 1]!.split('\n')
    return [{ key, value: value.join('\n'), file: resolve(options.cwd, origin.replace(/^file:/, '')) }]
  })
}

/** Settings on the command line are stronger than those of any file. */
const safe = (hooks: string): string[] =>
  Object.entries({
    'core.hooksPath': hooks,
    'core.fsmonitor': 'false',
    'core.untrackedCache': 'false',
    'core.pager': 'cat',
    'core.editor': 'true',
    'sequence.editor': 'true',
    'core.askPass': 'true',
    'core.sshCommand': 'ssh -o BatchMode=yes',
    'core.attributesFile': '/dev/null',
    'core.gitProxy': '',
    'core.alternateRefsCommand': 'true',
    'safe.bareRepository': 'explicit',
    'credential.helper': '',
    'diff.external': '',
    'gpg.program': 'false',
    'commit.gpgSign': 'false',
    'tag.gpgSign': 'false',
    'log.showSignature': 'false',
    'merge.verifySignatures': 'false',
    'submodule.recurse': 'false',
    'fetch.recurseSubmodules': 'false',
    'protocol.ext.allow': 'never',
    'protocol.fd.allow': 'never',
    'uploadpack.packObjectsHook': '',
    'gc.auto': '0',
    'maintenance.auto': 'false',
    'init.templateDir': '',
  }).flatMap(([key, value]) => ['-c', `${key}=${value}`])

const showing = new Set(['diff', 'show', 'log', 'whatchanged', 'diff-tree', 'diff-index', 'diff-files'])

/** No setting turns an external diff off, so an option tells the commands that would use one not to. */
function withoutPrograms(args: readonly string[]): string[] {
  const at = args.findIndex(
    (arg, index) => !arg.startsWith('-') && args[index - 1] !== '-c' && args[index - 1] !== '-C',
  )
  if (!showing.has(args[at] ?? '')) return [...args]
  return [...args.slice(0, at + 1), '--no-ext-diff', '--no-textconv', ...args.slice(at + 1)]
}

const programKeys = String.raw`^(filter\..*\.(clean|smudge|process|required)|diff\..*\.(command|textconv)|merge\..*\.driver|remote\..*\.(uploadpack|receivepack|vcs)|alias\..*|browser\..*|pager\..*|mergetool\..*|difftool\..*|trailer\..*\.(command|cmd))$`

/** A repository chooses the names of its drivers, so each driver that its files define is overridden by name. */
async function filtersIn(hooks: string, options: GitOptions): Promise<string[]> {
  const listed = await start(
    [...safe(hooks), 'config', '--includes', '-z', '--name-only', '--get-regexp', programKeys],
    options,
  )
  const names = [...new Set(listed.output.split('\0').filter(Boolean))]
  return names.flatMap((name) => ['-c', `${name}=${harmless(name)}`])
}

function harmless(name: string): string {
  if (name.endsWith('.required')) return 'false'
  return name.startsWith('merge.') ? 'false' : name.startsWith('diff.') && name.endsWith('.textconv') ? 'cat' : ''
}

function start(args: readonly string[], { cwd, env, timeoutMs = TIMEOUT_MS, signal }: GitOptions): Promise<GitResult> {
  const { promise, resolve, reject } = Promise.withResolvers<GitResult>()
  const child = spawn('git', args, {
    cwd,
    env: childEnvironment(env, variables),
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
    ...(signal && { signal }),
  })
  const output: Buffer[] = []
  const errors: Buffer[] = []
  let size = 0
  const keep = (into: Buffer[]) => (bytes: Buffer) => {
    size += bytes.length
    if (size > OUTPUT_BYTES) child.kill('SIGKILL')
    else into.push(bytes)
  }
  child.stdout.on('data', keep(output))
  child.stderr.on('data', keep(errors))
  child.on('error', (error) => reject(new GitError(`git could not be run: ${error.message}`)))
  child.on('close', (code, ended) => {
    if (code === null) reject(new GitError(`git was stopped (${size > OUTPUT_BYTES ? 'too much output' : ended}).`))
    else resolve({ exitCode: code, output: text(output), errors: text(errors) })
  })
  return promise
}

/** The server's own variables never reach git; these keep git from asking and from reading the machine's files. */
const variables = {
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_PAGER: 'cat',
  GIT_EDITOR: 'true',
  GIT_ASKPASS: 'true',
  GIT_PROTOCOL_FROM_USER: '0',
  GIT_ALLOW_PROTOCOL: 'file:https:ssh:git',
  GIT_LITERAL_PATHSPECS: '1',
  LC_ALL: 'C.UTF-8',
}

const text = (chunks: readonly Buffer[]): string => Buffer.concat(chunks).toString()
