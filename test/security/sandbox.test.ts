import { spawnSync } from 'node:child_process'
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createServer as createSocket } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { enclose, SandboxUnavailable, sandboxSupport } from '../../src/lib/sandbox/sandbox.ts'
import { makeCell } from '../kit/cell.ts'
import { putFile } from '../kit/files.ts'
import { eventually, processesWith } from '../kit/processes.ts'

const works = sandboxSupport(process.env, 'strict').program !== undefined
if (!works) console.warn(`!!! NO SANDBOX HERE: ${sandboxSupport(process.env, 'strict').why}`)

/** Root may write /run itself; an ordinary user one of the folders in it. */
function writableBelowRun(): string {
  const folder = ['/run', `/run/user/${process.getuid?.()}`, '/run/lock'].find((path) => {
    try {
      accessSync(path, constants.W_OK)
      return true
    } catch {
      return false
    }
  })
  if (folder === undefined) throw new Error('No folder below /run can be written, so this cannot be tried here.')
  return folder
}

test('where bubblewrap makes namespaces and socat is there, commands run in the sandbox', () => {
  const bare = ['bwrap --unshare-user --ro-bind / / true', 'socat -V'].map(
    (line) => spawnSync('sh', ['-c', line]).status,
  )
  expect(works).toBe(bare.every((status) => status === 0))
})

describe.runIf(works)('inside the sandbox', () => {
  test('the workspace and temp can be written, and nothing else', async () => {
    const cell = makeCell()
    const { output } = await cell.run(
      `echo a > made.txt; echo b > /tmp/t; cat /tmp/t; echo c > "$HOME/notes.txt"; echo d > ../e; touch /etc/x; touch /usr/x; echo end`,
    )
    expect(readFileSync(join(cell.workspace, 'made.txt'), 'utf8')).toBe('a\n')
    expect(output).toContain('b\n')
    expect(output.match(/Read-only/g)?.length).toBeGreaterThanOrEqual(2)
    expect(readFileSync(join(cell.root, 'person', 'notes.txt'), 'utf8')).toBe('readable')
    expect(existsSync(join(cell.root, 'e'))).toBe(false)
    expect(existsSync('/etc/x')).toBe(false)
  })

  test('keys and the data folder cannot be read, other files can', async () => {
    const cell = makeCell()
    const { output } = await cell.run(
      `cat /etc/os-release; cat "$HOME/.ssh/id" "$HOME/.netrc" ${cell.home}/token; ls -A ${cell.home} "$HOME/.ssh"; cat /etc/shadow; cat /proc/*/environ | tr '\\0' '\\n'`,
    )
    expect(output).toMatch(/^ID=/m)
    expect(output).not.toContain('canary')
    expect(output).not.toMatch(/^root:/m)
  })

  test('a permitted path outside can be written, and its neighbours cannot', async () => {
    const cell = makeCell()
    const [file, other] = [join(cell.root, 'one.txt'), join(cell.root, 'two.txt')]
    for (const one of [file, other]) writeFileSync(one, 'old')
    await cell.run(`echo new > ${file}; echo new > ${other}`, { writable: [file] })
    expect([readFileSync(file, 'utf8'), readFileSync(other, 'utf8')]).toEqual(['new\n', 'old'])
    const writable = ['.ssh/config', '.netrc'].map((name) => join(cell.root, 'person', name))
    const { output } = await cell.run('echo new > ~/.ssh/config; echo new > ~/.netrc; cat ~/.ssh/*', { writable })
    expect(output).toBe('new\n')
    expect(writable.map((path) => readFileSync(path, 'utf8'))).toEqual(['new\n', 'new\n'])
  })

  test('what no rule lets be written stays as it is, also where a part of it is permitted', async () => {
    const cell = makeCell()
    const [closed, part] = [join(cell.root, 'closed'), join(cell.root, 'closed', 'part.txt')]
    putFile(part, 'old')
    await cell.run(`echo new > ${part}`, { writable: [part], readOnly: [closed] })
    expect(readFileSync(part, 'utf8')).toBe('old')
  })

  test('a key that the command may read is there, its neighbours and the data folder are not', async () => {
    const cell = makeCell()
    const [key, whole] = [join(cell.userHome, '.ssh/id'), join(cell.userHome, '.netrc')]
    putFile(join(cell.userHome, '.ssh/other'), 'canary-other')
    const readable = [key, whole, join(cell.home, 'token'), '/etc']
    const look = 'cat ~/.ssh/*; echo; cat ~/.netrc; echo; echo x > ~/.ssh/id; echo x > ~/.netrc; ls ~/.ssh'
    const { output } = await cell.run(`${look}; cat ${cell.home}/token`, { readable })
    expect(output.match(/canary-[a-z]+/g)).toEqual(['canary-key', 'canary-netrc'])
    expect(output).toMatch(/\nid\n/)
    expect([readFileSync(key, 'utf8'), readFileSync(whole, 'utf8')]).toEqual(['canary-key', 'canary-netrc'])
    const denied = await cell.run('cat ~/.ssh/id', { readable, hidden: [key] })
    expect(denied.output).not.toContain('canary')
  })

  test('a hidden path that is not there stays so: nothing is made for it to lie on', async () => {
    const cell = makeCell()
    const hidden = [cell.workspace, cell.userHome].map((folder) => join(folder, 'nothing'))
    const { exitCode, output } = await cell.run('ls -A . ~', { hidden })
    expect([exitCode, output.includes('nothing'), ...hidden.map((path) => existsSync(path))]).toEqual([
      0,
      false,
      false,
      false,
    ])
  })

  test('temporary files of a command are its own and are gone with it', async () => {
    const cell = makeCell()
    const write = 'for d in /tmp /var/tmp /dev/shm; do head -c 1000000 /dev/zero > $d/one && wc -c < $d/one; done'
    expect((await cell.run(write)).output).toBe('1000000\n1000000\n1000000\n')
    expect((await cell.run('ls -A /tmp /var/tmp /dev/shm')).output).not.toContain('one')
    expect(readdirSync(cell.home).toSorted()).toEqual(['token', 'watched'])
  })

  test('it cannot be left by a namespace, a mount or another process', async () => {
    const cell = makeCell()
    const { output } = await cell.run(
      `unshare -Urm true && echo LEFT; mount -o remount,rw / && echo LEFT; umount ${cell.home} && echo LEFT; mount --bind /etc /tmp && echo LEFT; mknod d b 8 0 && echo LEFT; kill -9 ${process.pid} && echo LEFT; chroot / true && echo LEFT; echo end`,
    )
    expect(output).toContain('end')
    expect(output).not.toContain('LEFT')
  })

  test('sockets that speak for the person are not there, and the server’s own is', async () => {
    const cell = makeCell()
    const socket = join(cell.home, 's.sock')
    const server = createSocket((one) => one.end('hello from the server'))
    await new Promise<void>((resolve) => server.listen(socket, resolve))
    onTestFinished(() => void server.close())
    const foreign = mkdtempSync(join(writableBelowRun(), 'troupe-test-'))
    onTestFinished(() => rmSync(foreign, { recursive: true }))
    const agent = createSocket((one) => one.end('canary'))
    await new Promise<void>((resolve) => agent.listen(join(foreign, 'agent.sock'), resolve))
    onTestFinished(() => void agent.close())
    const { output } = await cell.run(
      `socat - UNIX-CONNECT:$TROUPE_SOCKET </dev/null; socat - UNIX-CONNECT:${foreign}/agent.sock </dev/null; socat - UNIX-CONNECT:${socket} </dev/null; ls /run`,
      { socket },
    )
    expect(output.match(/hello from the server/g)).toHaveLength(1)
    expect(output).not.toContain('canary')
  })

  test('strict: only listed hosts, through the proxy and in no other way', async () => {
    const cell = makeCell()
    const { server, port, hits } = await listen()
    onTestFinished(() => void server.close())
    const strict = { mode: 'strict', hosts: [`localhost:${port}`] } as const
    const listed = await cell.run(`curl -sS -m 10 http://localhost:${port}/`, strict)
    expect(listed.output).toContain('served')
    expect(hits()).toBe(1)
    const ways = [
      `curl -sS -m 5 http://127.0.0.1:${port}/`,
      `curl -sS -m 5 --noproxy '*' http://localhost:${port}/`,
      `curl -sS -m 5 http://localhost.evil.example:${port}/`,
      `curl -sS -m 5 http://2130706433:${port}/`,
      `curl -sS -m 5 --noproxy '*' http://[::1]:${port}/`,
      `bash -c 'echo > /dev/tcp/127.0.0.1/${port}'`,
      `bash -c 'echo > /dev/udp/127.0.0.1/${port}'`,
      `(setsid curl -sS -m 5 --noproxy '*' http://127.0.0.1:${port}/ &) ; sleep 0.2`,
      `getent hosts example.com`,
      `printf 'CONNECT 127.0.0.1:${port} HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n' | socat -t 3 - TCP:127.0.0.1:3128`,
      `printf 'GET http://127.0.0.1:${port}/ HTTP/1.1\\r\\nHost: localhost:${port}\\r\\nConnection: close\\r\\n\\r\\n' | socat -t 3 - TCP:127.0.0.1:3128`,
    ]
    for (const way of ways) expect([way, (await cell.run(way, strict)).output.includes('served')]).toEqual([way, false])
    expect(hits()).toBe(1)
    expect(
      (await cell.run(`curl -sS -m 5 http://localhost:${port}/`, { mode: 'strict', hosts: [] })).output,
    ).not.toContain('served')
  })

  test('the whole tree ends with the call', async () => {
    const cell = makeCell()
    const mark = `7${process.pid}.25`
    await cell.run(
      `trap '' TERM; setsid sleep ${mark} & (sleep ${mark} &) ; bash -c "trap '' TERM; sleep ${mark}" & exit 0`,
    )
    await eventually(() => processesWith(mark).length === 0)
  })
})

async function listen(): Promise<{ server: Server; port: number; hits: () => number }> {
  let hits = 0
  const server = createServer((_, response) => {
    hits += 1
    response.end('served')
  })
  await new Promise<void>((resolve) => server.listen(0, resolve))
  return { server, port: (server.address() as AddressInfo).port, hits: () => hits }
}

test('hidden from the PATH nothing runs, and the message says what to install', async () => {
  const cell = makeCell()
  const attempt = enclose(['touch', join(cell.workspace, 'x')], cell.box, { PATH: '/nowhere' })
  await expect(attempt).rejects.toThrow(SandboxUnavailable)
  await expect(attempt).rejects.toThrow(/apt install bubblewrap/)
})

test.runIf(works)('strict does not run where only socat is missing, and the message says so', async () => {
  const cell = makeCell()
  const programs = join(cell.root, 'programs')
  mkdirSync(programs)
  symlinkSync(sandboxSupport(process.env).program!, join(programs, 'bwrap'))
  const attempt = enclose(['true'], { ...cell.box, mode: 'strict' }, { PATH: programs })
  await expect(attempt).rejects.toThrow(/^socat is not on the PATH\. Install/)
})
