import fc from 'fast-check'
import { expect, test } from 'vitest'
import { makeFolders } from '../../../../test/kit/folders.ts'
import { AgentFile } from '../../../contract/agents.ts'
import { Mode } from '../../../contract/sessions.ts'
import { builtInTools } from '../../../tools/index.ts'
import { reaches } from '../../permissions/makers.ts'
import { toolsInScope } from '../../permissions/scope.ts'
import { setTrust } from '../trust/trust.ts'
import { findAgent, listAgents, worksIn } from './find.ts'
import { fieldsIn } from './modes.ts'
import { boundBy } from './namesake.ts'

const globs = fc.array(fc.constantFrom('*', 'bash', 'read_file', '*_file', 'agent_*', '!bash', '{bash,grep}', 'grep'), {
  maxLength: 3,
})
const capabilities = fc.array(fc.constantFrom('*', 'shell', 'files.*', 'files.read', 'net'), { maxLength: 3 })
const lists = (of: fc.Arbitrary<string[]>) => fc.record({ allow: of, deny: of }, { requiredKeys: [] })
const rules = fc.array(fc.constantFrom('bash', 'bash(rm*)', 'write_file'), { maxLength: 2 })
const amount = fc.integer({ min: 1, max: 9 })
const behaviour = {
  tools: lists(globs),
  capabilities: lists(capabilities),
  agents: lists(globs),
  permissions: fc.record({ allow: rules, ask: rules, deny: rules }, { requiredKeys: [] }),
  limits: fc.record({ maxIterations: amount, maxCostUsd: amount, maxSpawnDepth: amount }, { requiredKeys: [] }),
  maxOutputTokens: amount,
  model: fc.constantFrom('a/b', 'c/d'),
}
const override = fc.record({ enabled: fc.boolean(), ...behaviour }, { requiredKeys: [] })
const definitions = fc
  .record(
    { ...behaviour, modes: fc.record({ chat: override, task: override, subagent: override }, { requiredKeys: [] }) },
    { requiredKeys: [] },
  )
  .map((fields) => AgentFile.parse(fields))

const names = (definition: AgentFile) => [...toolsInScope(builtInTools, definition).keys()]
const others = ['bash', 'grep', 'agent_x', 'a_file', 'writer']

test('whatever an untrusted project writes, its agent has nothing that its namesake has not, in any mode', () => {
  fc.assert(
    fc.property(definitions, definitions, fc.constantFrom(...Mode.options), (own, given, mode) => {
      const bound = boundBy(own, given)
      expect(AgentFile.safeParse(bound).success).toBe(true)
      const [before, after, alone] = [own, bound, given].map((each) => fieldsIn(each, mode)) as [
        AgentFile,
        AgentFile,
        AgentFile,
      ]
      for (const whole of [before, alone]) {
        expect(names(whole)).toEqual(expect.arrayContaining(names(after)))
        for (const name of others) if (reaches(after, [], name)) expect(reaches(whole, [], name)).toBe(true)
        for (const kind of ['ask', 'deny'] as const)
          expect(after.permissions?.[kind] ?? []).toEqual(expect.arrayContaining(whole.permissions?.[kind] ?? []))
        for (const [limit, value] of Object.entries(whole.limits ?? {}))
          expect(after.limits?.[limit as 'maxCostUsd'] ?? Number.NaN).toBeLessThanOrEqual(Number(value))
      }
      expect(after.permissions?.allow).toBeUndefined()
      expect(after.model).toBe(before.model ?? alone.model)
      const off = [own, given].some(
        ({ modes = {} }) => (modes[mode] ?? (mode === 'subagent' ? modes.chat : undefined))?.enabled === false,
      )
      if (off) expect(bound.modes?.[mode]?.enabled).toBe(false)
    }),
    { numRuns: 300 },
  )
})

const safe = { tools: { allow: ['read_file', 'grep'] }, permissions: { deny: ['bash'] }, workspace: { path: 'docs' } }

test('the person’s own agent keeps its limits under a project’s words, until the project is trusted', async () => {
  const { core, project, put, putHome } = makeFolders()
  putHome('agents/safe/agent.json', safe)
  put('.troupe/agents/safe/agent.json', {
    description: 'of the project',
    tools: { allow: ['*'] },
    permissions: { allow: ['*'] },
  })
  put('.troupe/agents/safe/AGENT.md', 'Words of the project')
  const before = await findAgent(core, project, 'safe')
  expect(before.prose.agent).toBe('Words of the project')
  expect(before.definition).toMatchObject({ description: 'of the project', ...safe })
  expect(before.definition.permissions?.allow).toBeUndefined()
  expect(before.problems.map(({ message }) => message)).toContain(
    'has the limits of the agent that had its name before, until you trust this project',
  )
  await setTrust(core, project, { trusted: true })
  expect((await findAgent(core, project, 'safe')).definition.tools).toEqual({ allow: ['*'] })
})

test('a built-in agent keeps its limits, too, and a changed file of the person counts at once', async () => {
  const { core, project, put, putHome } = makeFolders()
  put('.troupe/agents/researcher.md', '---\nmodes: {task: {capabilities: {deny: []}}}\n---\nRun this')
  const researcher = async () => (await listAgents(core, project)).find(({ name }) => name === 'researcher')!
  for (const mode of Mode.options)
    expect(fieldsIn((await researcher()).definition, mode).capabilities?.deny).toEqual(['shell', 'files.write'])
  putHome('agents/researcher/agent.json', { modes: { task: { enabled: false } } })
  expect([worksIn(await researcher(), 'task'), worksIn(await researcher(), 'chat')]).toEqual([false, true])
})

test('while the person’s own agent is broken, nobody takes its name', async () => {
  const { core, project, put, putHome } = makeFolders()
  putHome('agents/safe/agent.json', '{"tools": ')
  put('.troupe/agents/safe.md', 'Hello')
  await expect(findAgent(core, project, 'safe')).rejects.toThrow('cannot be used')
})
