import { expect, test } from 'vitest'
import { isProtected } from './paths.ts'

test.each([
  ['/w/.git/config', '.git/**'],
  ['/w/sub/.git/hooks/pre-commit', '.git/**'],
  ['/w/.GIT/config', '.git/**'],
  ['/w/Git~1/config', '.git/**'],
  ['/w/.troupe/agents/a/agent.json', '.troupe/**'],
  ['/w/.claude/settings.json', '.claude/**'],
  ['/w/.agents/x', '.agents/**'],
  ['/w/.mcp.json', '.mcp.json'],
  ['/w/.env', '.env*'],
  ['/w/deep/.env.local', '.env*'],
  ['/home/me/.troupe/token', '<home>/**'],
  ['/home/me/.troupe', '<home>/**'],
])('%s is protected by %s', (path, pattern) => {
  expect(isProtected('/w', '/home/me/.troupe', path)).toBe(pattern)
})

test.each([
  '/w',
  '/w/src/git/config',
  '/w/.github/ci.yml',
  '/w/env',
  '/w/.gitignore',
  '/w/.env.example',
  '/w/a/.env.local.sample',
  '/home/me/.troupe-notes',
])('%s is not protected', (path) => {
  expect(isProtected('/w', '/home/me/.troupe', path)).toBeUndefined()
})

test('a worktree in the data folder is the session’s own, what lies beside it is not', () => {
  const [home, worktree] = ['/home/me/.troupe', '/home/me/.troupe/worktrees/one']
  expect(isProtected(worktree, home, `${worktree}/src/a.ts`)).toBeUndefined()
  expect(isProtected(worktree, home, `${worktree}/.git`)).toBe('.git/**')
  expect(isProtected(worktree, home, '/home/me/.troupe/worktrees/one-more/a.ts')).toBe('<home>/**')
})

test.each([
  ['/home/me', '/home/me/.bashrc', '.bashrc'],
  ['/home/me', '/home/me/.config/git/config', '.config'],
  ['/home', '/home/me/.ssh/config', '.ssh'],
  ['/home/me', '/home/me/work/.bashrc', undefined],
  ['/home/me', '/home/me/notes.txt', undefined],
  ['/home/me/.dotfiles', '/home/me/.dotfiles/.bashrc', undefined],
])('in the workspace %s a file of the home folder is protected by its name: %s', (root, path, pattern) => {
  expect(isProtected(root, '/home/me/.troupe', path, '/home/me')).toBe(pattern)
})
