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
