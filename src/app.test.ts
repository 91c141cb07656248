import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { makeFolder } from '../test/kit/files.ts'
import { startServer } from './app.ts'

afterEach(() => {
  vi.useRealTimers()
})

async function unattended(now: () => number) {
  const folder = makeFolder()
  vi.useFakeTimers({ toFake: ['setInterval'] })
  const server = await startServer({
    home: join(folder, 'home'),
    project: folder,
    env: { PATH: process.env.PATH, HOME: folder },
    port: 0,
    idleExitMinutes: 30,
    clock: { now },
  })
  return { server, folder }
}

test('a server that started by itself ends after half an hour without anything to do', async () => {
  let at = Date.now()
  const { server } = await unattended(() => at)
  at += 31 * 60_000
  await vi.advanceTimersByTimeAsync(30_000)
  await server.done
  await expect(fetch(`${server.url}/api/health`)).rejects.toThrow()
})

test('a server whose data folder is gone ends', async () => {
  const { server, folder } = await unattended(() => Date.now())
  rmSync(folder, { recursive: true, force: true })
  await vi.advanceTimersByTimeAsync(30_000)
  await server.done
  await expect(fetch(`${server.url}/api/health`)).rejects.toThrow()
})

test('a server that started by itself stays as long as a trigger is active, whatever it waits for', async () => {
  let at = Date.now()
  const { server, folder } = await unattended(() => at)
  const token = readFileSync(join(folder, 'home', 'token'), 'utf8').trim()
  const ask = async (method: string, path: string, body?: unknown) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
    return (await (await fetch(`${server.url}${path}`, init)).json()) as { id: string }
  }
  const action = { type: 'send', to: 'assistant', message: 'Look' }
  const when = { type: 'on_event', config: { pattern: 'task.failed' } }
  const { id } = await ask('POST', '/api/triggers', { ...when, action })
  at += 31 * 60_000
  await vi.advanceTimersByTimeAsync(90_000)
  expect(await ask('GET', `/api/triggers/${id}`)).toMatchObject({ status: 'active' })
  await ask('PATCH', `/api/triggers/${id}`, { status: 'paused' })
  at += 31 * 60_000
  await vi.advanceTimersByTimeAsync(30_000)
  await server.done
})
