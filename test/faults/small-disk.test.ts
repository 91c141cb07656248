import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { sandboxSupport } from '../../src/lib/sandbox/sandbox.ts'
import { bin } from '../kit/desk.ts'
import { openPlace } from '../kit/place.ts'
import { eventually, processesWith } from '../kit/processes.ts'
import { launch } from './server.ts'

const MB = 1024 ** 2
const DISK_MB = 40

/** A server whose data folder and project are on a disk of their own, which is small; `before` is done there first. */
async function launchOnSmallDisk(before = ':') {
  const place = await openPlace({ settings: { permissions: { allow: ['bash'] } }, files: { 'a.txt': 'alpha' } })
  onTestFinished(() => place.close())
  const folder = dirname(place.home)
  const within = [
    ...['bwrap', '--dev-bind', '/', '/', '--size', `${DISK_MB * MB}`, '--tmpfs', `${folder}/disk`],
    ...[
      'bash',
      '-c',
      `cp -a ${folder}/home ${folder}/project ${folder}/disk; cd ${folder}/disk; ${before}; cd project; exec "$@"`,
      'small',
    ],
  ]
  const [home, project] = [join(folder, 'disk/home'), join(folder, 'disk/project')]
  // The server is started from this folder before its disk is there.
  mkdirSync(project, { recursive: true })
  const server = launch(bin, project, { ...place.env, TROUPE_HOME: home }, within)
  onTestFinished(() => server.signal('SIGKILL'))
  return { place, folder, home, server }
}

async function startOnSmallDisk() {
  const { place, folder, server } = await launchOnSmallDisk()
  const address = await server.ready
  if (address === undefined) throw new Error((await server.exited).stderr)
  const ask = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${address.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${address.token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return {
      status: response.status,
      body: (text === '' ? undefined : JSON.parse(text)) as { id: string; status?: string },
    }
  }
  return {
    ask,
    vendor: place.vendor,
    exited: server.exited,
    /** As the server sees it. */
    seen: (path: string) => join(`/proc/${address.pid}/root`, folder, 'disk', path),
    open: async () => (await ask('POST', '/api/sessions', { agent: 'coder' })).body.id,
    say: (id: string, content: string) => ask('POST', `/api/sessions/${id}/messages`, { content }),
  }
}

const hasBubblewrap = sandboxSupport(process.env).program !== undefined

test.runIf(hasBubblewrap)(
  'a start on a full disk says that the disk is full, and names no server that is gone',
  async () => {
    const dead = 'echo 999999 > home/lock.pid; touch home/lock.db'
    const { server } = await launchOnSmallDisk(`${dead}; dd if=/dev/zero of=fill bs=1M; dd if=/dev/zero of=rest bs=1k`)
    expect(await server.ready).toBeUndefined()
    const { code, stderr } = await server.exited
    expect([code, stderr]).toEqual([1, expect.stringContaining('is full')])
    expect(stderr).toContain('Free some space')
    expect(stderr).not.toContain('999999')
  },
)

test.runIf(hasBubblewrap)('a start in a folder that can only be read says so, and how to choose another', async () => {
  const { server, home } = await launchOnSmallDisk(
    'exec bwrap --dev-bind / / --remount-ro "$PWD" --chdir "$PWD/project" "$@"',
  )
  expect(await server.ready).toBeUndefined()
  const { code, stderr } = await server.exited
  expect([code, stderr]).toEqual([1, expect.stringContaining(`${home} cannot be used: the file system is read-only`)])
  expect(stderr).toContain('TROUPE_HOME')
})

test.runIf(hasBubblewrap)(
  'a command cannot fill the data folder’s disk through /tmp, and a disk it filled otherwise leaves room to stop it',
  async () => {
    const { ask, vendor, exited, seen, open, say } = await startOnSmallDisk()
    const bash = (command: string) => ({ calls: [{ name: 'bash', input: { command } }] })
    const logOf = async (id: string) => JSON.stringify((await ask('GET', `/api/sessions/${id}/messages`)).body)
    const quiet = await open()
    const first = await open()
    vendor.reply(bash(`head -c ${3 * DISK_MB * MB} /dev/zero > /tmp/b; wc -c < /tmp/b`), { text: 'Done.' })
    expect((await say(first, 'Fill /tmp')).status).toBe(202)
    await eventually(async () => (await logOf(first)).includes('Done.'))
    expect(await logOf(first)).toContain(String(3 * DISK_MB * MB))
    expect(readdirSync(seen('home'))).not.toContain('tmp')

    const mark = `9${process.pid}.5`
    vendor.reply(bash(`dd if=/dev/zero of=big bs=1M; sync; sleep ${mark}`), { text: 'Never.' })
    expect((await say(first, 'Fill the disk')).status).toBe(202)
    await eventually(() => processesWith(`sleep\0${mark}`).length > 0)
    let refused: Awaited<ReturnType<typeof say>> | undefined
    for (let sent = 0; sent < 1000 && refused === undefined; sent += 1) {
      const answer = await say(quiet, 'x'.repeat(20_000))
      if (answer.status >= 300) refused = answer
    }
    expect(refused?.status).toBe(507)

    expect((await ask('POST', `/api/sessions/${first}/cancel`)).status).toBe(200)
    await eventually(() => processesWith(`sleep\0${mark}`).length === 0)
    // What was kept back is for this only.
    expect((await say(quiet, 'Now?')).status).toBe(507)
    expect((await ask('DELETE', `/api/sessions/${quiet}`)).status).toBeLessThan(300)
    expect((await ask('DELETE', `/api/sessions/${first}`)).status).toBeLessThan(300)
    expect(statSync(seen('project/big')).size).toBeGreaterThan(0)
    expect(readFileSync(seen('home/server.json'), 'utf8')).toContain('url')
    expect((await ask('POST', '/api/shutdown')).status).toBeLessThan(300)
    expect(await exited).toMatchObject({ code: 0 })
  },
)
