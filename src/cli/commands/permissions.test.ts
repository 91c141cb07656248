import { afterAll, expect, test } from 'vitest'
import { openDesk } from '../../../test/kit/desk.ts'

const desk = openDesk()
afterAll(() => desk.close())

test('rules are added, checked and removed from the terminal', async () => {
  const added = await desk.run('permissions', 'add', 'allow', 'bash(git status*)')
  expect(added).toMatchObject({ code: 0, out: expect.stringContaining('bash(git status*)') })
  const allowed = await desk.run('permissions', 'check', 'bash git status --short')
  expect(allowed.out).toMatch(/^allow: rule allow "bash\(git status\*\)" \(.*permissions\.json\)/)
  const asked = await desk.run('permissions', 'check', 'bash', 'git status; make')
  expect(asked.out).toMatch(/^ask: no rule allows "make"/)
  expect(asked.out).toContain('allow "git status"')
  expect((await desk.json('permissions', 'check', 'write_file .git/config')).decision).toBe('ask')
  expect((await desk.run('permissions', 'remove', 'allow', 'bash(git status*)')).code).toBe(0)
  const missing = await desk.run('permissions', 'remove', 'allow', 'bash(git status*)')
  expect(missing).toMatchObject({ code: 1, err: expect.stringContaining('There is no rule allow') })
  expect((await desk.run('permissions', 'add', 'maybe', 'bash')).code).toBe(2)
})

test('doctor says what the sandbox is and what it does not limit', async () => {
  const { checks } = await desk.json('doctor').catch(async () => JSON.parse((await desk.run('doctor', '--json')).out))
  const found = checks.find(({ what }: { what: string }) => what === 'sandbox')
  expect(`${found.found} ${found.do ?? ''}`).toMatch(
    /^(workspace|off); limited: (time, output, memory|time and output)/,
  )
})
