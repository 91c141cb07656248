import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeBench } from '../../../test/kit/judge.ts'
import { deniedPaths } from './denied.ts'

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
