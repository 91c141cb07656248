import { expect, test } from 'vitest'
import { hex } from '../../lib/ids.ts'
import { createTokens } from './tokens.ts'

const sessionId = hex(16)

test('a token leads back to the session it was made for, also when it is made again', () => {
  const secret = hex(32)
  const token = createTokens(secret).tokenOf(sessionId)
  expect(token).toMatch(/^ses_[0-9a-f]{32}_/)
  expect(createTokens(secret).tokenOf(sessionId)).toBe(token)
  expect(createTokens(secret).sessionOf(token)).toBe(sessionId)
  expect(token).not.toContain(secret.slice(0, 8))
})

test('a token of another secret, for another session, cut, changed or decorated leads nowhere', () => {
  const tokens = createTokens(hex(32))
  const token = tokens.tokenOf(sessionId)
  const last = token.at(-1)!
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const wrong = [
    createTokens(hex(32)).tokenOf(sessionId),
    token.replace(sessionId, hex(16)),
    token.replace(sessionId, sessionId.toUpperCase()),
    token.slice(0, -1),
    `${token}A`,
    `${token}\n`,
    ` ${token}`,
    token.slice(4),
    `ses_${sessionId}_`,
    `ses_${sessionId}`,
    '',
    // The last letter of 43 carries two bits that no byte has: every other spelling of it is refused too.
    ...[...letters].filter((letter) => letter !== last).map((letter) => token.slice(0, -1) + letter),
  ]
  for (const one of wrong) expect([one, tokens.sessionOf(one)]).toEqual([one, undefined])
})
