import { expect, test } from 'vitest'
import { makeFolders } from '../../../test/kit/folders.ts'
import { setTrust } from '../config/index.ts'
import { readMemory } from './read.ts'
import { recall } from './recall.ts'
import { memoryScope } from './scopes.ts'

async function remembered(files: Record<string, string>) {
  const folders = makeFolders()
  const { project } = folders
  const core = { ...folders.core, host: 'here' }
  for (const [path, text] of Object.entries(files)) folders.put(`.troupe/memory/${path}`, text)
  await setTrust(core, project, { trusted: true })
  return { core, project }
}

test('a file that a rule keeps away is not loaded, and takes no room from the others', async () => {
  const { core, project } = await remembered({ 'tea.md': 'Green.', 'kept.md': 'x'.repeat(5000) })
  const load = (isKept: (path: string) => boolean) => recall(core, project, 'ann', { inlineBytes: 1000, isKept })
  const { files, more } = load((path) => path.endsWith('kept.md'))
  expect([files.map(({ source, text }) => [source, text]), more]).toEqual([[['project/tea.md', 'Green.']], false])
  // All of it would be too much: only the chief files would be, and neither is one.
  expect(load(() => false)).toEqual({ files: [], more: true })
})

test('what is read says whose it is, where it is an agent’s', async () => {
  const { core, project } = await remembered({ 'MEMORY.md': 'All.', 'agents/ann/MEMORY.md': 'Mine.' })
  const read = (name: 'project' | 'agent') => readMemory(core, memoryScope(core, project, name, 'ann'), 'MEMORY.md')
  const common = { path: 'MEMORY.md', hash: expect.any(String) }
  expect(await read('project')).toStrictEqual({ ...common, scope: 'project', bytes: 4, text: 'All.' })
  expect(await read('agent')).toStrictEqual({ ...common, scope: 'agent', agent: 'ann', bytes: 5, text: 'Mine.' })
})
