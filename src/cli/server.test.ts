import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Desk, gone, isAlive, openDesk } from '../../test/kit/desk.ts'
import { ServerStatus } from '../contract/server.ts'
import { notStarted } from './server.ts'

let desk: Desk
beforeEach(() => {
  desk = openDesk()
})
afterEach(() => desk.close())

test('"up --json --port 0" prints one line and serves until SIGTERM', async () => {
  const running = desk.start(['up', '--json', '--port', '0'])
  await running.said('"pid"')
  const file = desk.server()!
  const health = await fetch(new URL('/api/health', file.url))
  expect(health.status).toBe(200)
  running.child.kill('SIGTERM')
  const { code, out } = await running.done
  expect(code).toBe(0)
  expect(out.trim().split('\n')).toHaveLength(1)
  const token = readFileSync(join(desk.home, 'token'), 'utf8').trim()
  expect(JSON.parse(out)).toEqual({ url: file.url, token, pid: running.child.pid })
  expect(desk.server()).toBeUndefined()
})

test('the data folder, the token and server.json are for the owner alone', async () => {
  await desk.run('agents')
  const mode = (path: string): number => statSync(path).mode & 0o777
  expect(mode(desk.home)).toBe(0o700)
  expect(mode(join(desk.home, 'token'))).toBe(0o600)
  expect(mode(join(desk.home, 'server.json'))).toBe(0o600)
})

test('"status" starts and makes nothing; it tells what a running server sends, and nothing else', async () => {
  const none = await desk.run('status')
  expect([none.code, none.out]).toEqual([
    3,
    expect.stringContaining(`No server runs for the data folder ${desk.home}.`),
  ])
  expect(JSON.parse((await desk.run('status', '--json')).out)).toMatchObject({ running: false, home: desk.home })
  expect(existsSync(desk.home)).toBe(false)
  await desk.run('agents')
  const { running, url, ...sent } = await desk.json('status')
  expect(running).toBe(true)
  expect(url).toBe(desk.server()!.url)
  expect(ServerStatus.parse(sent)).toEqual(sent)
  const { out } = await desk.run('status')
  expect(out).toMatch(new RegExp(`^ +store +${sent.store.kind}, durability ${sent.store.durability}$`, 'm'))
})

test('a server that takes long to start is said to be starting, with its pid, and not to have failed', () => {
  const { message, hint } = notStarted('server.log', '', 4711)
  expect(message).toBe('The server (pid 4711) does not serve yet after 60 s.')
  expect(hint).toMatch(/troupe\S* status" says when.*server\.log.*kill 4711/)
  expect(notStarted('server.log', 'Segmentation fault\n', undefined).message).toContain('did not start: Segmentation')
  const said = '{"error":{"code":"server.port","message":"Taken."}}\n'
  expect(notStarted('server.log', said, undefined).message).toBe('Taken.')
})

test('a second server on the same folder refuses and names the first', async () => {
  await desk.run('agents')
  const { code, err } = await desk.run('up', '--port', '0')
  expect(code).toBe(1)
  expect(err).toContain(`pid ${desk.server()!.pid}`)
})

test('commands that start a server at the same time all use the one that won', async () => {
  await Promise.all([1, 2, 3, 4].map(() => desk.json('agents')))
  const all = await Promise.all([1, 2].map(() => desk.json('status')))
  expect(new Set(all.map(({ pid }) => pid)).size).toBe(1)
  expect(all[0].pid).toBe(desk.server()!.pid)
})

test('a command that comes while a server ends waits for its end, and starts the next', async () => {
  await desk.run('agents')
  const first = desk.server()!
  // What a server does first when it is told to end.
  rmSync(join(desk.home, 'server.json'))
  const printed = join(desk.home, 'logs', 'server.log')
  const command = desk.start(['agents'])
  await vi.waitUntil(() => readFileSync(printed, 'utf8').includes('store.locked'), { timeout: 40_000 })
  process.kill(first.pid, 'SIGKILL')
  const { code, err } = await command.done
  expect([code, err]).toEqual([0, expect.stringContaining('Starting the server')])
  expect(desk.server()!.pid).not.toBe(first.pid)
})

test('--no-start refuses with 3 and says how to start one', async () => {
  const { code, err } = await desk.run('agents', '--no-start')
  expect(code).toBe(3)
  expect(err).toContain('troupe up')
  expect(desk.server()).toBeUndefined()
})

test('a server.json left behind by kill -9 is not believed', async () => {
  await desk.run('agents')
  const first = desk.server()!
  process.kill(first.pid, 'SIGKILL')
  await gone(first.pid)
  expect(desk.server()).toEqual(first)
  await desk.run('agents')
  expect((await desk.json('status')).pid).not.toBe(first.pid)
})

test('a server that cannot start says why in the command that wanted it', async () => {
  writeFileSync(desk.home, 'a file where the folder should be')
  const { code, err } = await desk.run('agents')
  expect(code).not.toBe(0)
  expect(err).toContain(desk.home)
})

test('a taken port is named by "up" and avoided by everything else', async () => {
  const squatter = createServer()
  const port = await new Promise<number>((resolve) => {
    squatter.listen(0, '127.0.0.1', () => resolve((squatter.address() as { port: number }).port))
  })
  try {
    const up = await desk.run('up', '--port', String(port))
    expect(up.code).toBe(1)
    expect(up.err).toContain(`Port ${port} is taken`)
    const other = await desk.start(['agents'], { env: { TROUPE_PORT: String(port) } }).done
    expect(other.code).toBe(0)
    expect(desk.server()?.url).not.toContain(`:${port}`)
  } finally {
    squatter.close()
  }
})

test('"up --detach" leaves a server behind, a second one finds it, "down" ends it', async () => {
  const started = await desk.json('up', '--detach')
  expect(isAlive(started.pid)).toBe(true)
  expect((await desk.json('up', '--detach')).pid).toBe(started.pid)
  expect(await desk.json('down')).toEqual({ stopped: true, pid: started.pid })
  expect(isAlive(started.pid)).toBe(false)
  expect(await desk.json('down')).toEqual({ stopped: false })
})

test('the token of a background server is not in what it printed', async () => {
  await desk.run('up', '--detach')
  const token = readFileSync(join(desk.home, 'token'), 'utf8').trim()
  const { out } = await desk.run('logs', '--printed')
  expect(out).toContain('serves at')
  expect(out).not.toContain(token)
})

test('a key the running server lacks is warned about by name, never by value', async () => {
  await desk.run('agents')
  const { err } = await desk.start(['status'], { env: { ANTHROPIC_API_KEY: 'sk-very-secret' } }).done
  expect(err).toContain('ANTHROPIC_API_KEY')
  expect(err).not.toContain('sk-very-secret')
})

test('"welcome" without a terminal says where it is, who answers and what to do, and serves until SIGTERM', async () => {
  const running = desk.start(['welcome'])
  running.child.stdin?.end()
  await running.said('everything else')
  expect(await (await fetch(new URL('/api/health', desk.server()!.url))).json()).toEqual({ ok: true })
  const { url } = desk.server()!
  running.child.kill('SIGTERM')
  const { code, out } = await running.done
  expect(code).toBe(0)
  expect(out).toContain(url)
  expect(out).toContain(desk.project)
  expect(out).toMatch(/demo\/demo.*scripted/)
  expect(out).toContain('"troupe" to talk')
})
