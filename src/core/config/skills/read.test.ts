import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolders } from '../../../../test/kit/folders.ts'
import { skillsOnDisk } from './read.ts'

const text = (body: string): string => `---\ndescription: What it is for\n---\n${body}\n`

test('a skill of 64 KB is read; of a longer one it is said what to do', () => {
  const { core, project, put } = makeFolders()
  put('.troupe/skills/full/SKILL.md', text('x'.repeat(64 * 1024)))
  const long = put('.troupe/skills/long/SKILL.md', text('x'.repeat(64 * 1024 + 1)))
  const { skills, problems } = skillsOnDisk(core, project, undefined)
  expect(skills.map(({ name }) => name)).toEqual(['full'])
  expect(problems).toEqual([
    { file: long, message: 'is longer than 64 KB; move what is seldom needed into files beside it' },
  ])
})

test('of a place the first 500 are read, and it is said that there are more', () => {
  const { core, project, put } = makeFolders()
  for (let at = 0; at < 501; at++) put(`.troupe/skills/s${at}/SKILL.md`, text('Do it.'))
  put('.claude/skills/other/SKILL.md', text('Do that.'))
  const { skills, problems } = skillsOnDisk(core, project, undefined)
  expect(skills).toHaveLength(501)
  expect(skills.at(-1)).toMatchObject({ name: 'other', source: '.claude' })
  const file = join(project.path, '.troupe', 'skills')
  expect(problems).toEqual([{ file, message: 'has more than 500 skills; the rest is not read' }])
})

test('of a folder with more in front of its texts than can be read at once, the rest is not read and it is said so', () => {
  const { core, project, put } = makeFolders()
  const front = `---\ndescription: Much\n${'# and more\n'.repeat(1400)}---\nDo it.`
  for (let at = 10; at < 60; at++) put(`.troupe/skills/s${at}/SKILL.md`, front)
  put('.claude/skills/other/SKILL.md', text('Do that.'))
  const long = put('.claude/skills/long/SKILL.md', front.replace('# and', `# ${'x'.repeat(2000)}`))
  const { skills, problems } = skillsOnDisk(core, project, undefined)
  expect(skills.map(({ name }) => name)).toEqual([...Array.from({ length: 34 }, (_, at) => `s${at + 10}`), 'other'])
  expect(problems).toEqual([
    {
      file: join(project.path, '.troupe', 'skills'),
      message: 'has more text in its skills than is read of one folder; the rest is not read',
    },
    { file: long, message: 'has front matter that cannot be read: it is longer than 16 KB' },
  ])
})
