import { expect, test } from 'vitest'
import { makeFolders } from '../../../test/kit/folders.ts'
import { skillsOf } from './find.ts'

test('a skill is known by its description, else by its first line; what is about forks counts for forks alone', () => {
  const { core, project, put } = makeFolders()
  const fields = 'agent: ben\nallowed-tools: Read, Bash(git:*), our_own, Read'
  put('.troupe/skills/bare/SKILL.md', `---\n${fields}\n---\n## Water the plants \nSlowly.`)
  put(
    '.troupe/skills/away/SKILL.md',
    `---\n${fields}\ncontext: fork\nargument-hint: what\ndescription: " Dig "\n---\nDeep.`,
  )
  const { skills } = skillsOf(core, { project, definition: {} })
  expect(skills.map(({ folder: _, body: __, ...rest }) => rest)).toEqual([
    {
      name: 'away',
      description: 'Dig',
      hint: 'what',
      source: 'project',
      context: 'fork',
      agent: 'ben',
      tools: ['read_file', 'bash', 'our_own'],
      humanOnly: false,
    },
    { name: 'bare', description: 'Water the plants ', source: 'project', context: 'main', humanOnly: false },
  ])
})

test('what is denied is not there, whatever is allowed', () => {
  const { core, project, put } = makeFolders()
  for (const name of ['dig', 'draw', 'paint']) put(`.troupe/skills/${name}/SKILL.md`, 'Do it.')
  const names = (skills: object) => skillsOf(core, { project, definition: { skills } }).skills.map(({ name }) => name)
  expect(names({})).toEqual(['dig', 'draw', 'paint'])
  expect(names({ allow: ['d*'] })).toEqual(['dig', 'draw'])
  expect(names({ allow: ['d*'], deny: ['draw'] })).toEqual(['dig'])
  expect(names({ allow: [] })).toEqual([])
})
