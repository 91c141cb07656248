import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolders } from '../../../test/kit/folders.ts'
import type { Agent } from '../../contract/agents.ts'
import { readHeartbeat } from './heartbeats.ts'

const hintOf = (agent: Pick<Agent, 'name' | 'folder' | 'source'>, project: Parameters<typeof readHeartbeat>[1]) => {
  try {
    return readHeartbeat(agent as Agent, project, 'daily')
  } catch (error) {
    return (error as { hint: string }).hint
  }
}

test('who lacks a heartbeat is told where to write it, and never into a folder that comes with the program', () => {
  const folders = makeFolders()
  const folder = join(folders.project.path, '.troupe', 'agents', 'ann')
  const own = hintOf({ name: 'ann', folder, source: 'project' }, folders.project)
  expect(own).toBe(`Write what is to be done at each tick into ${join(folder, 'heartbeats', 'daily.md')}.`)
  const builtIn = hintOf(
    { name: 'assistant', folder: '/opt/troupe/agents/assistant', source: 'built-in' },
    folders.project,
  )
  expect(builtIn).toContain('make an agent with "troupe init"')
  expect(builtIn).not.toContain('/opt')
  folders.put('.troupe/agents/ann/heartbeats/daily.md', 'Look at $AGENT_FOLDER.')
  expect(hintOf({ name: 'ann', folder, source: 'project' }, folders.project)).toBe(`Look at ${folder}.`)
})
