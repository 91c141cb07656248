import { expect, test } from 'vitest'
import { rulesAbout, toolStanding, withTool } from '../../web/src/state/tool-scope.ts'

test('a tool that is switched off is denied by name, and the definition says nothing more about it', () => {
  const definition = { permissions: { allow: ['bash', 'bash(git log *)'] } }
  expect(withTool(definition, 'bash', 'off')).toEqual({
    tools: { deny: ['bash'] },
    permissions: { allow: ['bash(git log *)'] },
  })
})

test('a tool that is allowed again leaves the denied ones and joins the allowed ones, where only those count', () => {
  const definition = { tools: { allow: ['read_*'], deny: ['bash'] } }
  expect(withTool(definition, 'bash', 'ask')).toEqual({
    tools: { allow: ['read_*', 'bash'] },
    permissions: { ask: ['bash'] },
  })
  expect(withTool(definition, 'read_file', 'allow').tools?.allow).toEqual(['read_*'])
})

test('what the definition no longer says about a tool is left to the other rules', () => {
  const asked = withTool({}, 'bash', 'ask')
  expect(withTool(asked, 'bash', undefined)).toEqual({})
})

test('a tool stands as the server says of the draft, with the rule that decides', () => {
  const permissions = { bash: { decision: 'deny', because: 'rule deny "bash"' } } as const
  const preview = { problems: [], broken: false, tools: ['bash'], permissions }
  expect(toolStanding({}, 'bash', preview)).toEqual({ choice: 'off', because: 'rule deny "bash"', own: false })
  expect(toolStanding({ tools: { deny: ['glob'] } }, 'glob', preview)).toEqual({
    choice: 'off',
    because: 'tools.deny in agent.json',
    own: true,
  })
  expect(toolStanding({}, 'bash', undefined).choice).toBeUndefined()
})

test('rules about some calls of a tool are listed with it, and those of others are not', () => {
  const permissions = { allow: ['bash(git log *)', 'bash_all(x)'], deny: ['bash(curl *)'] }
  expect(rulesAbout({ permissions }, 'bash')).toEqual([
    { decision: 'allow', rule: 'bash(git log *)' },
    { decision: 'deny', rule: 'bash(curl *)' },
  ])
})
