import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { runCommand } from '../../src/lib/process/processes.ts'
import { type Box, enclose, Swapped, sandboxSupport } from '../../src/lib/sandbox/sandbox.ts'
import { type Cell, makeCell } from '../kit/cell.ts'
import { putFile } from '../kit/files.ts'
import { processesWith } from '../kit/processes.ts'

const works = sandboxSupport(process.env).program !== undefined
if (!works) console.warn(`!!! NO SANDBOX HERE: ${sandboxSupport(process.env).why}`)

const source = (path: string): string => JSON.stringify(new URL(`../../src/${path}`, import.meta.url).href)

/** A child session's folder inside the cell's workspace. */
function makeSub(cell: Cell, ...names: string[]): string {
  const folder = join(cell.workspace, ...names)
  mkdirSync(folder, { recursive: true })
  return folder
}

/** Node's own recursive reading follows links, here into a circle. */
const planted = ({ root }: Cell): string => spawnSync('find', [root, '-name', 'planted'], { encoding: 'utf8' }).stdout

describe.runIf(works)('a folder that was swapped', () => {
  test.each([
    ['for a link upward', 'mv sub sub2; ln -s .. sub'],
    ['for a link to a folder outside', 'mv sub sub2; ln -s "$HOME" sub'],
    ['for a link to itself under another name', 'mv sub sub2; ln -s sub2 sub'],
    ['by its parent, for a link', 'mv mid mid2; ln -s mid2 mid'],
    ['by its parent, for a link outside that has such a folder', 'mv mid mid2; ln -s .. mid'],
  ])('%s is refused, and nothing runs', async (_, swap) => {
    const cell = makeCell()
    const sub = makeSub(cell, ...(swap.includes('mid') ? ['mid', 'sub'] : ['sub']))
    mkdirSync(join(cell.root, 'sub'))
    expect((await cell.run(swap)).exitCode).toBe(0)
    for (const mode of ['workspace', 'off'] as const)
      await expect(cell.run('touch planted; touch "$HOME/planted"', { workspace: sub, mode })).rejects.toThrow(Swapped)
    expect(planted(cell)).toBe('')
  })

  test('after it was opened is still the folder that the command works in', async () => {
    const cell = makeCell()
    const sub = makeSub(cell, 'sub')
    const env = { PATH: process.env.PATH, HOME: cell.userHome }
    const box: Box = { ...cell.box, workspace: sub }
    const shut = await enclose(['bash', '-c', 'touch planted; echo ran'], box, env)
    // All that is mounted in it would be found in the other folder too.
    cpSync(sub, cell.userHome, { recursive: true })
    renameSync(sub, join(cell.workspace, 'sub2'))
    // Relative, so that it leads there inside the sandbox too while that is being made.
    symlinkSync('../person', sub)
    const request = { cwd: cell.root, env, timeoutMs: 30_000, headTailChars: 1000 }
    await runCommand({ ...shut, ...request, command: '' }).finally(shut.release)
    expect(existsSync(join(cell.userHome, 'planted'))).toBe(false)
    expect(existsSync(join(cell.root, 'planted'))).toBe(false)
  })

  test('again and again while commands start lets none of them out', async () => {
    const cell = makeCell()
    const sub = makeSub(cell, 'sub')
    const swapping = cell.run(
      'touch begun; until [ -e enough ]; do mv -T sub x; ln -s ../person sub; rm sub; mv -T x sub; done',
    )
    for (let count = 0; count < 20; count += 1)
      await cell
        .run('touch planted; touch "$HOME/planted"', { workspace: sub })
        .catch((error) => expect(error).toBeInstanceOf(Swapped))
    writeFileSync(join(cell.workspace, 'enough'), '')
    await swapping
    expect([cell.userHome, cell.root].filter((folder) => existsSync(join(folder, 'planted')))).toEqual([])
  })

  test('for another folder of its own works: a project may be cloned again', async () => {
    const cell = makeCell()
    rmSync(cell.workspace, { recursive: true })
    mkdirSync(cell.workspace)
    expect((await cell.run('touch made && ls')).output).toBe('made\n')
  })
})

describe.runIf(works)('what is hidden stays hidden', () => {
  const looks = (...paths: string[]) =>
    `${paths.map((path) => `cat ${path}/token ${path}/*/token; ls -AR ${path}; echo planted > ${path}/planted && echo canary`).join('; ')}; touch made; echo end`

  const dataIn = (folder: string): Partial<Box> => {
    const home = join(folder, '.troupe')
    return { home, watched: join(home, 'watched'), aside: join(home, 'aside') }
  }

  test.each<[string, (cell: Cell) => { box: Partial<Box>; look: string }]>([
    [
      'when the project is the home folder and holds the data folder',
      ({ userHome, home }) => {
        renameSync(home, join(userHome, '.troupe'))
        return { box: { workspace: userHome, ...dataIn(userHome) }, look: looks('~/.troupe', '.troupe', '~/.ssh') }
      },
    ],
    [
      'when a repository holds the data folder under a protected name',
      ({ workspace, home }) => {
        renameSync(home, join(workspace, '.troupe'))
        putFile(join(workspace, '.troupe/agents/a.md'), 'canary')
        return { box: dataIn(workspace), look: looks('.troupe') }
      },
    ],
    [
      'when the workspace holds the data folder under an ordinary name, with protected names in it',
      ({ workspace, home }) => {
        const data = join(workspace, 'data')
        renameSync(home, data)
        putFile(join(data, '.claude/token'), 'canary')
        const box = { home: data }
        return { box, look: looks('data', 'data/.claude') }
      },
    ],
    [
      'when the data folder is a link',
      ({ root, home }) => {
        renameSync(home, join(root, 'real-home'))
        symlinkSync('real-home', home)
        return { box: {}, look: looks(home, join(root, 'real-home')) }
      },
    ],
    [
      'when the workspace lies in the data folder',
      ({ home }) => {
        mkdirSync(join(home, 'trees/one'), { recursive: true })
        return { box: { workspace: join(home, 'trees/one') }, look: looks(home, '../..') }
      },
    ],
    [
      'when the workspace lies in a key place',
      ({ userHome }) => {
        mkdirSync(join(userHome, '.ssh/work'))
        return { box: { workspace: join(userHome, '.ssh/work') }, look: `cat ../id; ${looks('..')}` }
      },
    ],
    [
      'when a permitted path lies in it',
      ({ home }) => ({ box: { writable: [join(home, 'token'), home] }, look: looks(home) }),
    ],
    [
      'when the command may change the repository and that lies in it',
      ({ workspace, home }) => {
        mkdirSync(join(home, 'x.git'), { recursive: true })
        writeFileSync(join(home, 'x.git/token'), 'canary')
        writeFileSync(join(workspace, '.git'), `gitdir: ${join(home, 'x.git')}\n`)
        writeFileSync(join(home, 'x.git/config'), `[core]\nworktree = ${workspace}\n`)
        const git = { folders: [workspace], config: 'open', makes: true, approved: true } as const
        return { box: { git }, look: looks(home, join(home, 'x.git')) }
      },
    ],
  ])('%s', async (_, arrange) => {
    const cell = makeCell()
    const { box, look } = arrange(cell)
    const { output } = await cell.run(look, box)
    expect(output).toMatch(/end\n$/)
    expect(output).not.toContain('canary')
    expect(existsSync(join(box.workspace ?? cell.workspace, 'made'))).toBe(true)
    expect(planted(cell)).toBe('')
  })

  test('denied paths, also after their folders were renamed or linked, and whatever else is permitted', async () => {
    const cell = makeCell()
    const secret = putFile(join(cell.workspace, 'a/b/secret/key'), 'canary')
    const file = putFile(join(cell.workspace, 'a/one.pem'), 'canary')
    const frozen = putFile(join(cell.workspace, 'c/d/frozen'), 'old')
    const box = {
      hidden: [join(cell.workspace, 'a/b/secret'), file],
      readOnly: [frozen],
      writable: [secret, file, frozen, join(cell.workspace, 'a')],
    }
    const tries = [
      'mv a z; mv a/b a/y; mv a/b/secret x; mv c z; mv c/d c/y; rm -rf a/b c/d',
      'ln -s a l; ln a/one.pem hard; cp -r a copy',
      'cat a/b/secret/key l/b/secret/key a/one.pem hard z/* z/*/* x/* copy/*/*/*; grep -r canary .; ls -R a',
      'echo new > c/d/frozen; echo new > a/b/secret/key; echo new > a/one.pem; rm -f c/d/frozen a/one.pem',
    ]
    for (const command of [...tries, tries[2]!]) expect((await cell.run(command, box)).output).not.toContain('canary')
    expect([secret, file, frozen].map((path) => readFileSync(path, 'utf8'))).toEqual(['canary', 'canary', 'old'])
    expect((await cell.run('touch a/new a/b/new c/d/new && echo made', box)).output).toBe('made\n')
  })

  test('a workspace that may not be read or written as a whole', async () => {
    const cell = makeCell()
    await expect(cell.run('ls', { hidden: [cell.root] })).rejects.toThrow(/rule denies reading/)
    await expect(cell.run('ls', { home: cell.workspace })).rejects.toThrow(/data folder/)
    const sub = makeSub(cell, 'sub/deep')
    const { output } = await cell.run('touch x sub/x sub/deep/x; echo x > /tmp/x && echo end', {
      readOnly: [cell.root],
      hidden: [putFile(join(sub, 'secret'), 'canary')],
    })
    expect([output.match(/Read-only/g)?.length, output.includes('end')]).toEqual([3, true])
  })
})

describe.runIf(works)('the system', () => {
  test('cannot be changed through /proc, /sys and /dev, by root neither', async () => {
    const { output } = await makeCell().run(`grep -h ^Cap /proc/self/status /proc/1/status
for file in /proc/sys/kernel/core_pattern /proc/sys/kernel/hostname /proc/sys/vm/drop_caches /proc/sys/kernel/pid_max; do
  (cat $file > $file) 2>/dev/null && echo "WROTE $file"; done
(echo h > /proc/sysrq-trigger) 2>/dev/null && echo "WROTE sysrq"
find /proc /sys /dev /run -maxdepth 2 -not -path '/proc/[0-9]*' -not -path '/dev/shm*' -not -path '/dev/pts*' -type d -writable -print 2>/dev/null | while read -r folder; do (: > "$folder/x") 2>/dev/null && echo "WROTE $folder"; done
for file in /proc/irq/*/smp_affinity /proc/bus/*/* /proc/mtrr /proc/slabinfo /sys/kernel/uevent_helper /sys/power/state /sys/fs/cgroup/*/release_agent; do (: >> $file) 2>/dev/null && echo "WROTE $file"; done
cat /proc/sys/kernel/ostype; echo x > /dev/null && touch /dev/shm/x && echo end`)
    expect(output).toMatch(/Linux\nend\n$/)
    expect(output).not.toContain('WROTE')
    expect(
      new Set([...output.matchAll(/^Cap(?:Prm|Eff|Inh|Amb):\t(\w+)$/gm)].slice(0, 4).map(([, bits]) => bits)),
    ).toEqual(new Set(['0000000000000000']))
  })

  test('is not reached through the processes that can be seen', async () => {
    const cell = makeCell()
    const { output } = await cell.run(
      `for pid in /proc/[0-9]*; do for way in root cwd fd/*; do cat $pid/$way${cell.home}/token $pid/$way/home/token $pid/$way/../home/token $pid/$way/token; done; done 2>/dev/null; cat /proc/*/environ | tr '\\0' '\\n' | grep -c NOTHING; echo end`,
    )
    expect(output).toMatch(/end\n$/)
    expect(output).not.toContain('canary')
  })
})

describe('descriptors that the server inherited', () => {
  test.each(works ? ['workspace', 'off'] : ['off'])('are not open in a command, sandbox %s', (mode) => {
    const cell = makeCell()
    const outside = putFile(join(cell.root, 'outside.txt'), 'canary')
    const script = `
      import { enclose } from ${source('lib/sandbox/sandbox.ts')}
      import { runCommand } from ${source('lib/process/processes.ts')}
      const command = 'cat <&9; cat <&200; echo planted >&200; ls -l /proc/[0-9]*/fd | grep -v /proc; echo end'
      const env = { PATH: process.env.PATH }
      const shut = await enclose(['bash', '-c', command], ${JSON.stringify({ ...cell.box, mode })}, env)
      const request = { command, cwd: ${JSON.stringify(cell.workspace)}, env, timeoutMs: 30000, headTailChars: 20000 }
      const { output } = await runCommand({ ...shut, ...request }).finally(shut.release)
      console.log(output)`
    const server = spawnSync(
      'bash',
      [
        '-c',
        'exec 9<>"$1" 200<>"$1"; shift; exec "$@"',
        'x',
        outside,
        process.execPath,
        '--input-type=module',
        '-e',
        script,
      ],
      { encoding: 'utf8' },
    )
    expect(server.stdout).toContain('end')
    expect(server.stdout).not.toContain('canary')
    expect(readFileSync(outside, 'utf8')).toBe('canary')
    if (mode !== 'off') expect(server.stdout).not.toContain(cell.root)
  })
})

describe.runIf(works)('sockets', () => {
  const listen = async (path: string): Promise<void> => {
    const server = createServer((one) => one.end('canary'))
    await new Promise<void>((resolve) => server.listen(path, resolve))
    onTestFinished(() => void server.close())
  }

  test('in the home folder and anywhere else are out of reach, those of the workspace are not', async () => {
    const cell = makeCell()
    for (const folder of ['.colima', '.ssh']) mkdirSync(join(cell.userHome, folder), { recursive: true })
    const agents = ['.colima/engine.sock', 'agent.sock', '.ssh/agent'].map((name) => join(cell.userHome, name))
    for (const path of agents) await listen(path)
    await listen(join(cell.workspace, 'dev.sock'))
    const connect = (paths: readonly string[]) =>
      paths.map((path) => `socat - UNIX-CONNECT:${path} </dev/null`).join('; ')
    expect((await cell.run(`${connect(agents)}; echo end`)).output).toMatch(/^(?![\s\S]*canary)[\s\S]*end\n$/)
    expect((await cell.run(connect(['dev.sock']))).output).toBe('canary')
    const opened = { writable: [join(cell.userHome, '.ssh')], readable: [join(cell.userHome, '.colima')] }
    expect((await cell.run(`${connect(agents)}; echo end`, opened)).output).toMatch(/^(?![\s\S]*canary)[\s\S]*end\n$/)
    const home = { workspace: cell.userHome }
    expect((await cell.run(`${connect(agents)}; echo end`, home)).output).toMatch(/^(?![\s\S]*canary)[\s\S]*end\n$/)
  })

  test('without a name in the file system are out of reach where Linux can scope them', async () => {
    const cell = makeCell()
    const name = `troupe-test-${process.pid}`
    await listen(`\0${name}`)
    const { output } = await cell.run(`socat - ABSTRACT-CONNECT:${name} </dev/null; echo end`)
    // The version of Landlock: 6 came with Linux 6.12.
    const version = spawnSync('perl', ['-e', 'print syscall(444, 0, 0, 1)'], { encoding: 'utf8' }).stdout
    expect([output.includes('canary'), output.includes('end')]).toEqual([Number(version) < 6, true])
    const own = `socat ABSTRACT-LISTEN:${name}-own EXEC:'echo own' & until socat - ABSTRACT-CONNECT:${name}-own </dev/null 2>/dev/null; do :; done`
    expect((await cell.run(own)).output).toContain('own')
  })
})

describe.runIf(works)('processes', () => {
  test('left behind are gone when the call returns, and do nothing afterwards', async () => {
    const cell = makeCell()
    const mark = `8${process.pid}.75`
    const { output } = await cell.run(
      `for way in "" "setsid" "nohup" "env -i setsid"; do $way /bin/bash -c "trap '' TERM HUP; while sleep 0.01; do echo x >> late; done; : ${mark}" & done; (setsid sleep ${mark} &); until [ -s late ]; do sleep 0.01; done; echo end`,
    )
    const size = readFileSync(join(cell.workspace, 'late')).length
    expect(output).toMatch(/end\n$/)
    expect(processesWith(mark)).toEqual([])
    expect(readFileSync(join(cell.workspace, 'late')).length).toBe(size)
  })
})

describe.runIf(works)('what a command may use', () => {
  const caps = { memoryBytes: 200 * 1024 ** 2, processes: 30, fileBytes: 1024 ** 2, tempBytes: 1024 ** 2 }

  test.each([
    ['processes', '(ulimit -u 300; for i in {1..60}; do sleep 1000 & done; wait)'],
    ['memory', `(ulimit -v 1000000; perl -e '$x = "x" x 300_000_000; sleep 1000')`],
    ['memory', 'ulimit -v 1000000; for i in 1 2 3; do perl -e \'$x = "x" x 100_000_000; sleep 1000\' & done; wait'],
  ])('too much %s ends it with all that it started: %s', async (what, command) => {
    const { output: _, ...ended } = await makeCell().run(command, {}, { caps })
    expect(ended).toMatchObject({ over: what, exitCode: null, timedOut: false })
  })

  test('memory that processes share counts once, and a file has its size at most', async () => {
    const cell = makeCell()
    const shares = `perl -e '$x = "x" x 100_000_000; fork for 1 .. 2; sleep 3'; echo shared`
    expect((await cell.run(shares, {}, { caps })).output).toBe('shared\n')
    await cell.run('head -c 3000000 /dev/zero > big', {}, { caps })
    expect(readFileSync(join(cell.workspace, 'big')).length).toBe(caps.fileBytes)
    expect((await cell.run('ulimit -u; cat /proc/self/oom_score_adj')).output).toBe('2000\n500\n')
  })
})

test.runIf(works)('a command that cannot be shut in leaves nothing open and nothing remembered', async () => {
  const cell = makeCell()
  mkdirSync(join(cell.root, 'real'))
  symlinkSync('real', join(cell.root, 'link'))
  await expect(cell.run('true', { writable: [join(cell.root, 'link/file')] })).rejects.toThrow(Swapped)
  await expect(cell.run('true', { writable: [join(cell.root, 'link')] })).rejects.toThrow(Swapped)
  const open = readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return [readlinkSync(join('/proc/self/fd', fd))]
    } catch {
      return []
    }
  })
  expect(open.filter((path) => path.startsWith(cell.root))).toEqual([])
  expect(readdirSync(cell.box.watched).filter((name) => name.endsWith('.json'))).toEqual([])
})
