import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { PermissionRules } from '../../../src/contract/agents.ts'
import { isInside } from '../../../src/lib/files/files.ts'
import { findProgram } from '../../../src/lib/process/programs.ts'
import { makeFolder } from '../../kit/files.ts'
import { makeBench } from '../../kit/judge.ts'
import { makeTracer } from './trace.ts'

/** What a command line really did. */
export interface Observed {
  /** Programs that were started, by name. */
  readonly started: readonly string[]
  /** Paths below the root that were made, changed or removed. */
  readonly changed: readonly string[]
  /** Paths below the root that were opened; programs are not among them. */
  readonly opened: readonly string[]
  /** Those that were not opened to be written only. */
  readonly read: readonly string[]
  readonly output: string
}

interface Observer {
  /** Whether the rules let it run without asking. */
  allows(line: string): Promise<boolean>
  observe(line: string): Observed
}

/** Stands in every file outside the project. */
export const OUTSIDE = 'eleven-purple-herons'
/** Stands in a file of the project that some rules deny. */
export const DENIED = 'seven-green-otters'

/** Programs that do their work, and ones that are only noted down. */
const real =
  'ls cat head tail wc sort uniq grep find git tar cp mv ln mkdir touch tee rm sed awk cut tr diff xxd dd od env xargs timeout nice nohup basename dirname sleep date seq stat readlink chmod bash'.split(
    ' ',
  )
const noted = 'M sh dash python3 perl node make npm curl wget less vi ssh rmdir lsof catdoc'.split(' ')

const bubblewrap = findProgram('bwrap', process.env)
const isShut = bubblewrap !== undefined && spawnSync(bubblewrap, ['--ro-bind', '/', '/', 'true']).status === 0
if (!isShut) console.warn('!!! bubblewrap does not work here: command lines are observed without it')

/** A folder with a project, files beside it and programs that note down that they were started. */
export function makeObserver(rules: PermissionRules): Observer {
  const bench = makeBench(rules)
  const [bin, log] = [join(bench.root, 'bin'), join(bench.root, 'log')]
  const template = makeFolder()
  prepare(bench.root)
  mkdirSync(bin)
  for (const name of real) stub(name, findProgram(name, { PATH: '/usr/bin:/bin' }))
  for (const name of noted) stub(name, undefined)
  cpSync(bench.root, template, { recursive: true, verbatimSymlinks: true })
  const before = treeOf(bench.root)
  const tracer = makeTracer()
  writeFileSync(log, '')

  return {
    allows: async (line) => (await bench.bash(line)) === 'run',
    observe(line) {
      writeFileSync(log, '')
      const shut = [
        '--ro-bind',
        '/',
        '/',
        '--bind',
        bench.root,
        bench.root,
        ...(tracer ? ['--bind', tracer.folder, tracer.folder] : []),
        '--dev',
        '/dev',
        '--proc',
        '/proc',
        '--unshare-all',
        '--die-with-parent',
        '--chdir',
        bench.workspace,
      ]
      const bounded = [
        '/bin/bash',
        '--norc',
        '-c',
        'ulimit -t 2 -f 2000 -v 2000000; exec /bin/bash -c "$1"',
        'bash',
        line,
      ]
      const traced = [...(tracer?.words ?? []), ...bounded]
      const [program = '', ...args] = isShut ? [bubblewrap, ...shut, ...traced] : traced
      const env = { PATH: bin, HOME: bench.root, LANG: 'C.UTF-8', SHLVL: '5', GIT_CONFIG_NOSYSTEM: '1' }
      const { stdout, stderr } = spawnSync(program, args, {
        cwd: bench.workspace,
        env,
        input: '',
        timeout: 10_000,
        encoding: 'utf8',
      })
      const after = treeOf(bench.root)
      const seen = tracer?.read() ?? { started: [], opened: [], read: [] }
      const started = [...new Set([...readFileSync(log, 'utf8').split('\n').filter(Boolean), ...seen.started])]
      const below = (paths: readonly string[]): string[] =>
        paths
          .filter((path) => isInside(path, bench.root) && path !== log && !isInside(path, bin))
          .map((path) => relative(bench.root, path))
      const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
        (path) => path !== 'log' && before.get(path) !== after.get(path),
      )
      if (changed.length > 0) restore()
      return { started, changed, opened: below(seen.opened), read: below(seen.read), output: `${stdout}${stderr}` }
    },
  }

  function stub(name: string, program: string | undefined): void {
    const work = program === undefined ? '' : `exec ${program} "$@"\n`
    writeFileSync(join(bin, name), `#!/bin/bash\nprintf '%s\\n' ${name} >> ${log}\n${work}`)
    chmodSync(join(bin, name), 0o755)
  }

  function restore(): void {
    for (const name of readdirSync(bench.root))
      if (name !== 'log') rmSync(join(bench.root, name), { recursive: true, force: true })
    cpSync(template, bench.root, { recursive: true, verbatimSymlinks: true })
  }
}

function prepare(root: string): void {
  const put = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  for (const path of ['private.txt', 'elsewhere/f']) put(path, `${OUTSIDE}\n`)
  put('work/secret/x', `${DENIED}\n`)
  for (const path of ['a.txt', 'b.txt', 'a b.txt', 'sub/b.txt', 'src/c.md', 'src/d.ts', 'x', 'out/y'])
    put(`work/${path}`, 'alpha\nM\n')
  for (const path of ['.env', '.troupe/settings.json', '.mcp.json', 'evil.sh', '-delete']) put(`work/${path}`, 'M\n')
  symlinkSync('../private.txt', join(root, 'work/link'))
  symlinkSync('..', join(root, 'work/up'))
  symlinkSync('sub', join(root, 'work/way'))
  mkdirSync(join(root, 'work/dst/sub'), { recursive: true })
  symlinkSync('../../../private.txt', join(root, 'work/dst/sub/b.txt'))
  spawnSync('git', ['init', '-q', '--template=', join(root, 'work')])
  // A repository inside the project that names programs.
  spawnSync('git', ['init', '-q', '--bare', '--template=', join(root, 'work/evil')])
  put('work/evil/config', '[core]\n\tbare = true\n\tfsmonitor = M\n\tsshCommand = M\n\talternateRefsCommand = M\n')
  put('work/evil/hooks/post-receive', '#!/bin/bash\nM\n')
  chmodSync(join(root, 'work/evil/hooks/post-receive'), 0o755)
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@b']
  spawnSync('git', ['add', 'a.txt', 'sub'], { cwd: join(root, 'work') })
  spawnSync('git', [...identity, 'commit', '-qm', 'alpha'], { cwd: join(root, 'work') })
}

/** Every path with what it is; the times of files do not count. */
function treeOf(root: string): Map<string, string> {
  const found = new Map<string, string>()
  const visit = (folder: string): void => {
    for (const name of readdirSync(join(root, folder))) {
      const path = folder === '' ? name : `${folder}/${name}`
      const stats = lstatSync(join(root, path))
      if (stats.isSymbolicLink()) found.set(path, `link ${readlinkSync(join(root, path))}`)
      else if (stats.isDirectory()) {
        found.set(path, 'folder')
        visit(path)
      } else
        found.set(
          path,
          `${stats.mode} ${createHash('sha1')
            .update(readFileSync(join(root, path)))
            .digest('hex')}`,
        )
    }
  }
  visit('')
  return found
}
