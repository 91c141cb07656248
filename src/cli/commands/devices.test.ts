import { readFileSync } from 'node:fs'
import { afterAll, expect, test } from 'vitest'
import { openDesk } from '../../../test/kit/desk.ts'

const desk = openDesk()
afterAll(() => desk.close())

test('devices are listed, and one is revoked by the beginning of its id: its token is served no more', async () => {
  expect((await desk.run('devices')).out).toContain('No device holds a token')
  const { url } = desk.server()!
  const owner = readFileSync(`${desk.home}/token`, 'utf8').trim()
  const post = async (path: string, body: object, token?: string) => {
    const headers = { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) }
    return (await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })).json() as Promise<
      Record<string, never>
    >
  }
  const added = async (name: string) => {
    const { code } = await post('/api/devices/code', {}, owner)
    return (await post('/api/login', { code, name })) as unknown as { token: string; device: { id: string } }
  }
  const [phone, tablet] = [await added('phone'), await added('tablet')]
  const asks = async ({ token }: { token: string }) =>
    (await fetch(`${url}/api/status`, { headers: { authorization: `Bearer ${token}` } })).status
  expect([await asks(phone), await asks(tablet)]).toEqual([200, 200])
  expect((await desk.run('devices')).out).toMatch(/phone[\s\S]*tablet/)

  const nobody = await desk.run('devices', 'revoke', 'device_none')
  expect([nobody.code, nobody.err]).toEqual([1, expect.stringContaining('"troupe devices"')])
  expect((await desk.run('devices', 'revoke', 'device_')).err).toContain('could be')
  expect((await desk.run('devices', 'revoke', phone.device.id.slice(0, 14))).code).toBe(0)
  expect([await asks(phone), await asks(tablet)]).toEqual([401, 200])
  expect((await desk.json('devices')).items).toEqual([expect.objectContaining({ name: 'tablet' })])
})
