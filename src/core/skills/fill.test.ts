import { expect, test } from 'vitest'
import type { SessionId, TaskId } from '../../contract/ids.ts'
import { skillBlock } from './fill.ts'
import type { Skill } from './find.ts'

const about = { sessionId: 'ses' as SessionId, taskId: null, agent: { name: 'ann', folder: '/agents/ann' } }

const filled = (body: string, words: string, more: Partial<typeof about> & { taskId?: TaskId | null } = {}) =>
  skillBlock({ name: 'say', folder: '/s', body } as Skill, words, { ...about, ...more })
    .split('\n')
    .slice(1, -1)
    .join('\n')

test('words are split at blanks, what stands in quotes stays together, and nine of them have a place', () => {
  const words = `one "two and" 'a half' four 5 6 7 8 nine ten`
  expect(filled('$1|$2|$3|$4|$9|$10|$0', words)).toBe('one|two and|a half|four|nine|$10|$0')
  expect(filled('$2 of $ARGUMENTS', 'only')).toBe(' of only')
  expect(filled('$ARGUMENTSX', 'a')).toBe('$ARGUMENTSX\n\nARGUMENTS: a')
})

test('what the words say is not filled in again, and words without a place stand below', () => {
  expect(filled('[$ARGUMENTS] [$1]', '$1 $AGENT_FOLDER')).toBe('[$1 $AGENT_FOLDER] [$1]')
  expect(filled('In $AGENT_FOLDER.', 'a b')).toBe('In /agents/ann.\n\nARGUMENTS: a b')
  expect(filled('In $AGENT_FOLDER.', '')).toBe('In /agents/ann.')
  expect(filled('$ARGUMENTS', '')).toBe('')
})

test('a text that repeats long words is filled as far as there is room, and says so', () => {
  const words = 'w'.repeat(30_000)
  const text = filled('$ARGUMENTS '.repeat(5000), words)
  expect(text.split(words)).toHaveLength(4)
  expect(text).toContain(`${words} $ARGUMENTS $ARGUMENTS`)
  expect(text).toMatch(/\[The later places are not filled in/)
  expect(text.length).toBeLessThan(200_000)
  const once = 'w'.repeat(500_000)
  expect(filled('<$ARGUMENTS>', once)).toContain(once)
})
