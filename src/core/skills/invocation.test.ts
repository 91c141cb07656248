import { describe, expect, test } from 'vitest'
import type { SessionId } from '../../contract/ids.ts'
import type { Skill } from './find.ts'
import { checkInvocation, invocationHint, invocationIn, invocationNote, speaksForAgent } from './invocation.ts'

const skill = (name: string, more: Partial<Skill> = {}): Skill =>
  ({ name, context: 'main', humanOnly: false, folder: '/s', body: `How to ${name}`, ...more }) as Skill
const skills = [skill('review'), skill('deploy', { humanOnly: true }), skill('study', { context: 'fork' })]

test('a message begins with a skill where a slash and a whole name are its very first word', () => {
  expect(invocationIn('/review a.ts  please ')).toEqual({ name: 'review', words: 'a.ts  please' })
  expect(invocationIn('/review\nall')).toEqual({ name: 'review', words: 'all' })
  expect(invocationIn('/review')).toEqual({ name: 'review', words: '' })
  expect(invocationIn(`/${'r'.repeat(64)}`)).toMatchObject({ words: '' })
  for (const text of [' /review', '/usr/bin is full', '/9 lives', '/review, please', `/${'r'.repeat(65)}`, 'review'])
    expect(invocationIn(text)).toBeUndefined()
})

test('a person is given a hint only where a skill was meant that is not there', () => {
  expect(invocationHint(skills, 'Hello', 'ann')).toBeUndefined()
  expect(invocationHint(skills, '/review it', 'ann')).toBeUndefined()
  expect(invocationHint(skills, '/xyz', 'ann')).toBe(
    'ann has no skill "xyz", so it read this as plain text; it has review, deploy, study.',
  )
  expect(invocationHint([], '/xyz', 'ann')).toBe('ann has no skill "xyz", so it read this as plain text.')
})

test('what an agent, or a trigger of an agent, begins with a skill is refused where it may not start it', () => {
  expect(speaksForAgent({ kind: 'agent', agent: 'ann' })).toBe(true)
  expect(speaksForAgent({ kind: 'trigger', agent: 'ann' })).toBe(true)
  expect(speaksForAgent({ kind: 'trigger' })).toBe(false)
  expect(speaksForAgent({ kind: 'human' })).toBe(false)
  expect(() => checkInvocation(skills, 'Plain', 'ben')).not.toThrow()
  expect(() => checkInvocation(skills, '/review it', 'ben')).not.toThrow()
  expect(() => checkInvocation(skills, '/deploy', 'ben')).toThrow('/deploy can be started by a person only.')
  expect(() => checkInvocation(skills, '/depoly', 'ben')).toThrow('ben has no skill "depoly".')
  const hintOf = (some: readonly Skill[]): string => {
    try {
      checkInvocation(some, '/xyz', 'ben')
    } catch (error) {
      return (error as { hint: string }).hint
    }
    return ''
  }
  // What only a person may start is not offered to an agent.
  expect(hintOf(skills)).toMatch(/^It has: review, study/)
  expect(hintOf([])).toMatch(/^ben has no skills\. If you meant no skill/)
})

describe('what the model is told behind such a message', () => {
  const about = { sessionId: 'ses' as SessionId, taskId: null, agent: { name: 'ann', folder: '/a' } }
  const note = (content: string, from: Parameters<typeof invocationNote>[1]['from'] = { kind: 'human' }) =>
    invocationNote(skills, { content, from }, about)

  test('is the text of the skill, or that a helper does it, with or without arguments', () => {
    expect(note('/review it')).toMatch(/counts as your instructions:\n<skill name="review"[\s\S]*ARGUMENTS: it/)
    expect(note('/study the sky')).toMatch(/"study" and as arguments all that follows its name/)
    expect(note('/study')).toMatch(/"study" and no arguments, then/)
    expect(note('/deploy')).toContain('How to deploy')
  })

  test('is that only a person can start it, where an agent tried; of the runtime and of plain text nothing', () => {
    expect(note('/deploy', { kind: 'agent', agent: 'ben' })).toMatch(/only a person can start: it was not started/)
    expect(note('/review', { kind: 'agent', agent: 'ben' })).toContain('How to review')
    expect(note('/review', { kind: 'system' })).toBeUndefined()
    expect(note('/nothing')).toBeUndefined()
    expect(note('review')).toBeUndefined()
  })
})
