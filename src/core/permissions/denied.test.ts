import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { makeBench } from '../../../test/kit/judge.ts'
import type { PermissionRules } from '../../contract/agents.ts'
import { noGit } from '../../lib/sandbox/box.ts'
import { deniedPaths, hiddenFrom } from './denied.ts'
import { meantBelow } from './meant.ts'
import { boxOf, sandboxFor } from './sandbox.ts'

test('the paths that rules deny are listed as they really are, and only where something is', () => {
  const { put, workspace, outside } = makeBench()
  for (const path of ['secret/x', 'keys/a.pem', 'keys/deep/b.pem', 'keys/c.txt', 'notes/n', 'a*b']) put(path, '')
  symlinkSync(outside, join(workspace, 'way'))
  const deny = ['read_file(secret/**)', 'read_file(keys/**/*.pem)', '*_file(way)', 'write_file(notes/)']
  const rules = {
    deny: [...deny, 'read_file(none/**)', 'bash(notes)', 'read_file(a\\*b)', 'read_file'],
    ask: ['read_file(notes/n)'],
  }
  const at = (path: string) => join(workspace, path)
  const denied = deniedPaths([{ from: 's', rules }], { projectPath: workspace, userHome: undefined })
  expect(denied).toEqual({
    read: [outside, at('a*b'), at('keys/a.pem'), at('keys/deep/b.pem'), at('secret')],
    write: [outside, at('notes')],
    unlisted: [],
  })
  const asked = deniedPaths([{ from: 's', rules }], { projectPath: workspace, userHome: undefined }, ['ask'])
  expect(asked.read).toEqual([at('notes/n')])
})

test.each([
  ['**/*.pem', ['a.pem', 'x/b.pem', 'x/y/c.pem']],
  ['*/*.pem', ['x/b.pem']],
  ['x/**/c*', ['x/y/c.pem', 'x/y/z/c']],
  ['**/y', ['x/y']],
  ['**/y/**', ['x/y']],
  ['*/**', ['x', 'a.pem']],
  ['**/z/**/*', ['x/y/z/c']],
  ['?.pem', []],
])('%s means what is there and is called so, and of a folder the folder', (pattern, meant) => {
  const { put, workspace } = makeBench()
  for (const path of ['a.pem', 'x/b.pem', 'x/y/c.pem', 'x/y/z/c']) put(path, '')
  const found = () => meantBelow(workspace, pattern.split('/'))?.map((path) => path.slice(workspace.length + 1))
  expect(found()?.toSorted()).toEqual(meant.toSorted())
})

test('what was looked at before is looked at again once a name was added', () => {
  const { put, workspace } = makeBench()
  put('x/a.pem', '')
  const found = () => meantBelow(workspace, ['**', '*.pem'])?.length
  // What changed just now is not remembered, as the time of a file is no finer than that.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 })
  onTestFinished(() => void vi.useRealTimers())
  expect([found(), found()]).toEqual([1, 1])
  put('x/b.pem', '')
  expect(found()).toBe(2)
})

/** A session under these rules of the person and of its agent. */
function shutIn(rules: PermissionRules, own: PermissionRules = {}) {
  const bench = makeBench()
  const { home, workspace, root } = bench
  const by = {
    sources: [{ from: 's', rules }],
    own: { from: 'agent', rules: own },
    makers: [],
    granted: [],
    sessionId: 'a',
    sandbox: () => ({ mode: 'workspace' as const, unavailable: false }),
    ...{ workspace, projectPath: workspace, home, userHome: root, env: {} },
  }
  const core = { home, env: {}, url: () => 'http://127.0.0.1:9' }
  return { ...bench, by, core, may: { reach: [], git: noGit } }
}

test('commands reach the hosts that rules of the person allow by name, without those that any rule denies or asks for', () => {
  const { core, by, may } = shutIn(
    {
      allow: [
        'web_fetch(a.test)',
        'web_fetch(*.b.test:8443)',
        'web_fetch(*)',
        'web_fetch',
        'bash(c.test)',
        '*(d.test)',
      ],
      ask: ['web_fetch(x.b.test)'],
    },
    { allow: ['web_fetch(own.test)'], deny: ['web_*(a.test)', 'read_file(e.test)'] },
  )
  expect(boxOf(sandboxFor(core, by, may)).hosts.toSorted()).toEqual(['!a.test', '!x.b.test', '*.b.test:8443', 'a.test'])
})

test('where there are too many files to tell which of them a rule denies, nothing is started or searched', () => {
  const { put, workspace, core, by, may } = shutIn({ deny: ['read_file(**/*.pem)'] })
  for (const path of ['key.pem', 'a', 'b']) put(path, '')
  expect(boxOf(sandboxFor(core, by, may)).hidden).toEqual([join(workspace, 'key.pem')])
  const few = { ...by, most: 2 }
  expect(() => boxOf(sandboxFor(core, few, may))).toThrow(/was not run\. There are too many files .* \*\*\/\*\.pem/)
  expect(() => hiddenFrom(few)).toThrow(/too many files/)
})
