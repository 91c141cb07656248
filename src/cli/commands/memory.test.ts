import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openDesk } from '../../../test/kit/desk.ts'

test('"memory" writes, lists, shows, searches, edits and deletes once the project is trusted', async () => {
  const desk = openDesk()
  onTestFinished(desk.close)
  const refused = await desk.run('memory', 'write', 'notes.md', 'Build with make.')
  expect(refused.code).toBe(1)
  expect(refused.err).toContain('is not trusted')
  expect((await desk.run('trust', '--yes')).code).toBe(0)
  expect((await desk.run('memory', 'write', 'notes.md', 'Build', 'with', 'make.')).out).toContain('17 bytes')
  expect((await desk.run('memory', 'write', 'MEMORY.md', '--agent', 'coder', 'Tabs.')).code).toBe(0)
  expect((await desk.run('memory')).out).toMatch(/project\s+notes\.md\s+17[\s\S]*agent\s+coder\s+MEMORY\.md/)
  expect((await desk.run('memory', 'show', 'notes.md')).out).toBe('Build with make.\n')
  expect((await desk.run('memory', 'search', 'tabs')).out).toBe('coder/MEMORY.md\n  Tabs.\n')
  expect((await desk.run('memory', 'show', 'gone.md')).err).toContain('There is: notes.md')
  expect((await desk.run('memory', 'show', 'x.md', '--scope', 'moon')).code).toBe(2)
  const file = join(desk.project, '.troupe/memory/notes.md')
  const editing = desk.start(['memory', 'edit', 'notes.md'], { env: { EDITOR: 'printf "Use ninja.\\n" >' } })
  editing.child.stdin?.end()
  expect((await editing.done).code).toBe(0)
  expect(readFileSync(file, 'utf8')).toBe('Use ninja.\n')
  expect((await desk.run('memory', 'delete', 'notes.md')).code).toBe(0)
  expect(existsSync(file)).toBe(false)
})
