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
  const unread = await desk.run('permissions', 'check', 'bash', '[[ -f a ]] && git status')
  expect(unread.out).toMatch(/^ask: it has a part that is not understood: \[\[/)
  expect((await desk.json('permissions', 'check', 'write_file .git/config')).decision).toBe('ask')
  const other = await desk.run('permissions', 'remove', 'deny', 'bash(git status*)')
  expect(other).toMatchObject({ code: 1, err: expect.stringContaining('permissions list') })
  const elsewhere = await desk.run('permissions', 'remove', '--global', 'allow', 'bash(git status*)')
  expect(elsewhere).toMatchObject({ code: 1, err: expect.stringMatching(/It is in .*permissions\.json/) })
  expect((await desk.run('permissions', 'remove', 'allow', 'bash(git status*)')).code).toBe(0)
  const missing = await desk.run('permissions', 'remove', 'allow', 'bash(git status*)')
  expect(missing).toMatchObject({ code: 1, err: expect.stringContaining('There is no rule allow') })
  expect((await desk.run('permissions', 'add', 'maybe', 'bash')).code).toBe(2)
})

test.each([
  ['bash(', 1, 'error: The rule is not valid: must be "tool" or "tool(pattern)"'],
  ['rm *', 1, 'error: The rule is not valid: must be'],
  ['rm*', 0, 'warning: No tool is called "rm*", so the rule decides nothing. A command is written "bash(rm*)".'],
])('a rule that was not meant so is told in words of rules, not of requests: %s', async (rule, code, said) => {
  const answer = await desk.run('permissions', 'add', 'deny', rule)
  expect(answer.code).toBe(code)
  expect(answer.err).toContain(said)
  expect(answer.err).not.toMatch(/body|field|\/api/)
})

test.each(['read_*(docs/**)', '*', 'web_fetch(example.com)', 'bash(rm*)', 'mcp:issues.get_*'])(
  'a rule that can decide something is added without a word: %s',
  async (rule) => {
    expect(await desk.run('permissions', 'add', 'ask', rule)).toMatchObject({ code: 0, err: '' })
  },
)

test('doctor says what the sandbox is and what it does not limit', async () => {
  const { checks } = await desk.json('doctor').catch(async () => JSON.parse((await desk.run('doctor', '--json')).out))
  const found = checks.find(({ what }: { what: string }) => what === 'sandbox')
  expect(`${found.found} ${found.do ?? ''}`).toMatch(
    /^(workspace|off); limited: (time, output, memory|time and output)/,
  )
})
