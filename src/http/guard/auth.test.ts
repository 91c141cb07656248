import { expect, test } from 'vitest'
import { type Auth, bearerOf, callerName, createAuth } from './auth.ts'
import { checkRight, type SessionCaller } from './rights.ts'
import { digest } from './secrets.ts'

const sessionId = 'abcdef0123456789abcdef0123456789'
const project = { id: 'p', path: '/p', name: 'p', trusted: true } as unknown as SessionCaller['project']

function createDoor() {
  let now = 1_000_000
  const known = digest('a-device')
  const devices = { find: (given: Buffer) => (given.equals(known) ? 'device_1' : undefined) } as Parameters<
    typeof createAuth
  >[1]
  const holderOf = async (token: string) => (token === 'a-session' ? { sessionId, project } : undefined)
  const auth: Auth = createAuth('the-owner', devices, holderOf, { now: () => now })
  const codeOf = async (token: string | undefined) =>
    auth.identify(token).then(
      ({ kind }) => kind,
      (error: { code: string }) => error.code,
    )
  return { auth, codeOf, pass: (ms: number) => (now += ms) }
}

test('a token is the owner’s, a device’s or a session’s; none, an empty one and a wrong one are told apart', async () => {
  const { auth, codeOf } = createDoor()
  expect(await auth.identify('the-owner')).toEqual({ kind: 'owner' })
  expect(await auth.identify('a-device')).toEqual({ kind: 'device', deviceId: 'device_1' })
  expect(await auth.identify('a-session')).toEqual({ kind: 'session', sessionId, project })
  expect(await codeOf(undefined)).toBe('auth.missing')
  expect(await codeOf('')).toBe('auth.missing')
  expect(await codeOf('the-owne')).toBe('auth.wrong')
})

test('twenty wrong ones in a minute are answered, the next is not looked at; a minute after the first there is room', async () => {
  const { codeOf, pass } = createDoor()
  expect(await codeOf('wrong')).toBe('auth.wrong')
  pass(1)
  for (let n = 1; n < 20; n++) expect(await codeOf('wrong')).toBe('auth.wrong')
  expect(await codeOf('wrong')).toBe('auth.too_many')
  expect(await codeOf('the-owner')).toBe('owner')
  expect(await codeOf('a-session')).toBe('session')
  pass(59_998)
  expect(await codeOf('wrong')).toBe('auth.too_many')
  pass(1)
  expect(await codeOf('wrong')).toBe('auth.wrong')
  expect(await codeOf('wrong')).toBe('auth.too_many')
})

test('a wrong one of an hour ago counts no more', async () => {
  const { codeOf, pass } = createDoor()
  await codeOf('wrong')
  pass(3_600_000)
  for (let n = 0; n < 20; n++) expect(await codeOf('wrong')).toBe('auth.wrong')
})

test('a clock that was set back does not keep the door shut', async () => {
  const { codeOf, pass } = createDoor()
  for (let n = 0; n < 20; n++) await codeOf('wrong')
  expect(await codeOf('wrong')).toBe('auth.too_many')
  pass(-60_000)
  expect(await codeOf('wrong')).toBe('auth.wrong')
})

test('a right token clears no count of wrong ones', async () => {
  const { codeOf } = createDoor()
  for (let n = 0; n < 20; n++) await codeOf('wrong')
  await codeOf('the-owner')
  expect(await codeOf('wrong')).toBe('auth.too_many')
})

test('a bearer token is one word', () => {
  expect(bearerOf('Bearer abc')).toBe('abc')
  expect(bearerOf('bearer  abc ')).toBe('abc')
  for (const other of [undefined, '', 'Bearer', 'Bearer a b', 'Basic abc', 'abc'])
    expect(bearerOf(other)).toBeUndefined()
})

test('an act is recorded under whoever did it', () => {
  expect(callerName({ kind: 'owner' })).toBe('human')
  expect(callerName({ kind: 'device', deviceId: 'device_1' })).toBe('human via device_1')
  expect(callerName({ kind: 'session', sessionId, project })).toBe(`session ${sessionId.slice(0, 8)}`)
})

const may = (method: string, path: string): boolean => {
  try {
    checkRight({ kind: 'session', sessionId, project }, method, path)
    return true
  } catch {
    return false
  }
}

test('a session reads itself by its id or by four characters of it or more, and no other', () => {
  for (const own of [sessionId, 'abcd', 'ABCD', 'abcdef01']) {
    expect([own, may('GET', `/api/sessions/${own}`)]).toEqual([own, true])
    expect([own, may('HEAD', `/api/sessions/${own}/messages`)]).toEqual([own, true])
    expect([own, may('GET', `/api/why/${own}`)]).toEqual([own, true])
  }
  for (const other of ['abc', 'a', 'bcde', `${sessionId}0`, 'ffff']) {
    expect([other, may('GET', `/api/sessions/${other}`)]).toEqual([other, false])
    expect([other, may('GET', `/api/why/${other}`)]).toEqual([other, false])
  }
})

test('a session may send mail and read it, and changes nothing else', () => {
  expect(may('POST', '/api/mail')).toBe(true)
  expect(may('POST', '/api/mail/mail_1/answer')).toBe(true)
  expect(may('GET', '/api/mail/mail_1')).toBe(true)
  for (const path of [`/api/sessions/${sessionId}`, `/api/sessions/${sessionId}/messages`, '/api/agents']) {
    expect([path, may('POST', path)]).toEqual([path, false])
    expect([path, may('DELETE', path)]).toEqual([path, false])
  }
  expect(may('HEAD', '/api/mail')).toBe(true)
  expect(may('GET', '/api/sessions')).toBe(false)
})

test('a refusal names the request, no longer than needed', () => {
  const ask = () => checkRight({ kind: 'session', sessionId, project }, 'GET', `/api/${'x'.repeat(300)}`)
  expect(ask).toThrow(`The token of this session does not allow this: GET /api/${'x'.repeat(195)}.`)
})

test('a person and their devices may do everything', () => {
  expect(() => checkRight({ kind: 'owner' }, 'DELETE', '/api/anything')).not.toThrow()
  expect(() => checkRight({ kind: 'device', deviceId: 'device_1' }, 'DELETE', '/api/anything')).not.toThrow()
})
