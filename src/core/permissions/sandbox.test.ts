import { expect, test } from 'vitest'
import { makeFolder } from '../../../test/kit/files.ts'
import { sandboxState, unshutReason } from './sandbox.ts'

test('a machine without bubblewrap has no sandbox: told when nobody chose, refused when one was asked for', () => {
  const bare = { env: { PATH: makeFolder() } }
  const missing = expect.stringMatching(/bubblewrap|no sandbox/)
  expect(sandboxState(bare, {})).toEqual({ mode: 'off', unavailable: false, reason: missing })
  expect(unshutReason(bare, {})).toEqual(missing)
  for (const sandbox of ['workspace', 'strict'] as const) {
    expect(sandboxState(bare, { sandbox })).toEqual({ mode: sandbox, unavailable: true, reason: missing })
    expect(unshutReason(bare, { sandbox })).toBeUndefined()
  }
})

test('a sandbox that the person switched off is off, without a word about what is missing', () => {
  for (const core of [{ env: process.env }, { env: { PATH: makeFolder() } }]) {
    const reason = 'the setting "sandbox" is "off"'
    expect(sandboxState(core, { sandbox: 'off' })).toEqual({ mode: 'off', unavailable: false, reason })
    expect(unshutReason(core, { sandbox: 'off' })).toBeUndefined()
  }
})
