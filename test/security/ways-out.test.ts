import { execFileSync } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sandboxSupport } from '../../src/lib/sandbox/sandbox.ts'
import { makeCell } from '../kit/cell.ts'
import { putFile } from '../kit/files.ts'
import { eventually } from '../kit/processes.ts'

const works = sandboxSupport(process.env, 'strict').program !== undefined
if (!works) console.warn(`!!! NO SANDBOX HERE: ${sandboxSupport(process.env, 'strict').why}`)

/** Each tries to write a file of the person, to make one beside the workspace, or to read what is hidden. */
const ways: [string, string][] = [
  ['a link to a file', 'ln -s "$HOME/notes.txt" l; echo planted > l'],
  ['a link to a folder', 'ln -s "$HOME" l; echo planted > l/planted; cat l/.ssh/id'],
  ['a second name of a file outside', 'ln "$HOME/notes.txt" l; echo planted > l; ln "$HOME/.netrc" n; cat n'],
  ['a second name through a link', 'ln -s "$HOME" l; ln -L l/notes.txt h; echo planted > h'],
  ['renaming the folder above', 'mv ../work ../planted; mv ../../* .; mv "$HOME" ../planted'],
  ['taking a folder along', 'mv "$HOME" taken; mv "$HOME/notes.txt" taken; cp -al "$HOME" taken; cat taken/.ssh/id'],
  ['putting a folder where a hidden one is', 'mkdir s; mv -T s "$HOME/.ssh"; rm -rf "$HOME/.ssh"; cat "$HOME/.ssh/id"'],
  [
    'the root and the folder of process 1',
    'for w in root cwd; do echo planted > /proc/1/$w$HOME/notes.txt; cat /proc/1/$w$HOME/.ssh/id; done',
  ],
  ['the root of each thread', 'cat /proc/[0-9]*/task/*/root$HOME/.ssh/id /proc/self/mountinfo | grep canary'],
  ['an open descriptor, opened again', 'exec 5<"$HOME/notes.txt"; echo planted > /proc/self/fd/5'],
  ['a folder that is open and left by ..', 'exec 5<.; cd /proc/self/fd/5/..; touch planted; cd -P ..; touch planted'],
  [
    'the memory of process 1',
    'perl -e \'open(F, "+<", "/proc/1/mem") and print "canary\\n"\'; cat /proc/1/environ | grep canary',
  ],
  [
    'a handle of a file',
    'perl -e \'my $h = pack("II", 8, 1) . pack("Q", 2); my $fd = syscall(304, -100, $h, 0); print "canary\\n" if $fd >= 0\'',
  ],
  ['entering another namespace', 'for n in mnt user net pid; do nsenter --$n=/proc/1/ns/$n cat "$HOME/.ssh/id"; done'],
  ['a namespace of its own', 'unshare -Urm sh -c \'umount "$HOME/.ssh"; cat "$HOME/.ssh/id"\''],
  ['taking a mount away', 'umount -l "$HOME/.ssh"; cat "$HOME/.ssh/id"; mount -o remount,rw /; touch ../planted'],
  ['another root', 'perl -e \'chroot "/proc/1/root" and print "canary\\n"\'; pivot_root . . && echo canary'],
  [
    'devices',
    'for d in /dev/mem /dev/kmsg /dev/sda /dev/vda /dev/loop0; do head -c 1 $d && echo canary; done; mknod b b 8 0 && echo canary',
  ],
  [
    'typing into a terminal',
    'perl -e \'for (0 .. 9, "/dev/tty") { my $c = "x"; open(my $t, "<", /^\\d/ ? "/dev/fd/$_" : $_) or next; ioctl($t, 0x5412, $c) and print "canary\\n" }\'',
  ],
  [
    'a repository that is embedded',
    'mkdir -p e/objects e/refs; echo "ref: refs/heads/x" > e/HEAD; printf "[core]\\nrepositoryformatversion=0\\nfsmonitor=echo canary >&2\\n" > e/config; cd e && git status',
  ],
]

describe.runIf(works).each(['workspace', 'strict'] as const)('from %s nothing leads out', (mode) => {
  test.each(ways)('%s', async (_, command) => {
    const cell = makeCell()
    const { output } = await cell.run(`(${command}); touch ran; echo end`, { mode })
    expect(output).toMatch(/end\n$/)
    expect(output).not.toContain('canary')
    expect(existsSync(join(cell.workspace, 'ran'))).toBe(true)
    expect(readFileSync(join(cell.userHome, 'notes.txt'), 'utf8')).toBe('readable')
    expect(readFileSync(join(cell.userHome, '.ssh/id'), 'utf8')).toBe('canary-key')
    expect([cell.root, cell.userHome].filter((folder) => existsSync(join(folder, 'planted')))).toEqual([])
  })

  test('process 1, which a command may trace, has no more than the command', async () => {
    const look = (pid: string) => `grep -hE "^(Cap|Seccomp|NoNewPrivs)" /proc/${pid}/status; readlink /proc/${pid}/ns/*`
    const { output } = await makeCell().run(`${look('1')}; echo --; ${look('self')}`, { mode })
    const [first, own] = output.trim().split('\n--\n')
    expect(first).toBe(own)
    expect(own).toMatch(/^CapEff:\t0+$[\s\S]*^NoNewPrivs:\t1$[\s\S]*^Seccomp:\t2$/m)
  })

  test('a path outside that may be written is no way to its neighbours', async () => {
    const cell = makeCell()
    const open = join(cell.root, 'open')
    mkdirSync(open)
    putFile(join(cell.root, 'closed.txt'), 'old')
    const tries =
      'ln -s ../closed.txt ../open/l; echo new > ../open/l; ln ../closed.txt ../open/h; echo new > ../open/h; mv ../open ../moved; rm -rf ../open; touch ../open/made'
    await cell.run(tries, { mode, writable: [open] })
    expect(readFileSync(join(cell.root, 'closed.txt'), 'utf8')).toBe('old')
    expect([lstatSync(open).isDirectory(), existsSync(join(open, 'made'))]).toEqual([true, true])
  })
})

test.runIf(works)(
  'while a background command runs the person’s own git finds nothing new, and the command is as shut in',
  async () => {
    const cell = makeCell()
    execFileSync('git', ['init', '-q'], { cwd: cell.workspace })
    const command =
      'touch begun; until [ -e enough ]; do touch "$HOME/planted" ../planted .git/planted; sleep 0.05; done'
    const running = cell.run(command, { lasting: true })
    await eventually(() => existsSync(join(cell.workspace, 'begun')))
    const status = execFileSync('git', ['status', '--short', '--ignored'], { cwd: cell.workspace, encoding: 'utf8' })
    writeFileSync(join(cell.workspace, 'enough'), '')
    await running
    expect(status).toBe('?? begun\n')
    const places = [cell.userHome, cell.root, join(cell.workspace, '.git')]
    expect(places.filter((folder) => existsSync(join(folder, 'planted')))).toEqual([])
  },
)
