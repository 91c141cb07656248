import { expect, test } from 'vitest'
import { makeFolders } from '../../../test/kit/folders.ts'
import { listAgents } from '../../core/config/agents/find.ts'
import { effectiveSettings } from '../../core/config/settings/effective.ts'
import { author, type Starter, starterFiles } from './init-starter.ts'

/** Every way to take the comment marks off: of each line alone, and of all at once. */
function variants(text: string): string[] {
  const lines = text.split('\n')
  const commented = lines.flatMap((line, at) => (/^\s*\/\//.test(line) ? [at] : []))
  const live = (chosen: readonly number[]): string =>
    lines.map((line, at) => (chosen.includes(at) ? line.replace(/\/\/ ?/, '') : line)).join('\n')
  expect(commented.length).toBeGreaterThan(0)
  return [text, ...commented.map((at) => live([at])), live(commented)]
}

/** How a starter's file is read: what is wrong with it. */
async function problemsWith(agent: Starter, name: string, text: string): Promise<string[]> {
  const folders = makeFolders()
  for (const [path, content] of Object.entries({ ...starterFiles(agent), [name]: text }))
    folders.put(`.troupe/${path}`, content)
  const { core, project } = folders
  const { problems } = await effectiveSettings(core, project)
  const agents = (await listAgents(core, project)).flatMap((found) => found.problems)
  return [...problems, ...agents].map(({ field, message }) => `${field}: ${message}`)
}

const own: Starter = { name: 'scribe', may: 'run', does: 'You write "notes".\nBe dry.' }

test.each([author, own, { ...author, name: 'reviewer' }])(
  '$name: any line of its files can be uncommented',
  async (agent) => {
    for (const [name, text] of Object.entries(starterFiles(agent)).filter(([path]) => path.endsWith('.json'))) {
      for (const variant of variants(text)) {
        // A project that nobody trusted yet says so of its rules; nothing else may be said.
        const said = (await problemsWith(agent, name, variant)).filter(
          (problem) => !problem.includes('has no effect until'),
        )
        expect([name, variant, said]).toEqual([name, variant, []])
      }
    }
  },
)

test('the starter is a pair: each may talk to the other, and is told when to', async () => {
  const folders = makeFolders()
  for (const [path, content] of Object.entries(starterFiles(author))) folders.put(`.troupe/${path}`, content)
  const agents = await listAgents(folders.core, folders.project)
  const pair = agents.filter(({ source }) => source === 'project')
  expect(pair.map(({ name, definition }) => [name, definition.agents?.allow])).toEqual([
    ['author', ['reviewer']],
    ['reviewer', ['author']],
  ])
  expect(pair[0]?.prose.agent).toContain('ask reviewer')
  expect(pair[1]?.prose.agent).toContain('ask author')
})
