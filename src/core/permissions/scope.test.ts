import { expect, test } from 'vitest'
import { z } from 'zod'
import type { AgentFile } from '../../contract/agents.ts'
import { schemaOf } from '../tools/index.ts'
import { defineTool } from './judge.ts'
import { isDenied, isIn, toolsInScope } from './scope.ts'

const tool = (name: string, ...capabilities: string[]) =>
  defineTool({
    name,
    description: name,
    input: z.strictObject({ path: z.string(), deep: z.int().default(1) }),
    capabilities,
    run: async () => ({ output: '' }),
  })
const all = [
  tool('read_file', 'files.read'),
  tool('write_file', 'files.write'),
  tool('bash', 'shell'),
  tool('fetch_page', 'net', 'files.write'),
  { ...tool('todo_write', 'todos'), forEveryone: true as const },
  { ...tool('todo_read', 'todos'), forEveryone: true as const },
]
const scoped = (definition: AgentFile) => [...toolsInScope(all, definition).keys()]

test('without a word about tools an agent has all', () => {
  expect(scoped({})).toEqual(all.map(({ name }) => name))
})

test('globs allow by name, deny wins, and the to-do list stays unless denied', () => {
  expect(scoped({ tools: { allow: ['*_file'] } })).toEqual(['read_file', 'write_file', 'todo_write', 'todo_read'])
  expect(scoped({ tools: { allow: ['*'], deny: ['write_*', 'todo_*'] } })).toEqual(['read_file', 'bash', 'fetch_page'])
  expect(scoped({ tools: { allow: [] } })).toEqual(['todo_write', 'todo_read'])
})

test('every capability a tool needs must be allowed and none denied', () => {
  expect(scoped({ capabilities: { deny: ['files.write'] } })).toEqual(['read_file', 'bash', 'todo_write', 'todo_read'])
  expect(scoped({ capabilities: { allow: ['files.*'] } })).toEqual(['read_file', 'write_file'])
  expect(scoped({ capabilities: { allow: ['files.*', 'net', 'todos'] }, tools: { deny: ['*_file'] } })).toEqual([
    'fetch_page',
    'todo_write',
    'todo_read',
  ])
})

test('a glob is the whole name', () => {
  expect(isIn(['bash'], 'bash_more')).toBe(false)
  expect(isIn(['read_*'], 'read_file')).toBe(true)
  expect(isIn(['*'], 'anything')).toBe(true)
  expect(isIn(['{read,write}_file', 'task_?'], 'write_file')).toBe(true)
  expect(isIn(['{read,write}_file', 'task_?'], 'task_x')).toBe(true)
  expect(isIn(['{read,write}_file', 'task_?'], 'edit_file')).toBe(false)
})

test.each(['!bash', '!(bash)', '+(*)+(*)', '[ab]ash', '{a,b}'.repeat(8)])(
  'a glob that is not understood allows nothing and denies everything: %s',
  (glob) => {
    expect([isIn([glob], 'bash'), isDenied([glob], 'bash')]).toEqual([false, true])
  },
)

test('no glob takes long, whoever wrote it', () => {
  const name = 'a'.repeat(64)
  for (const glob of ['+(*)'.repeat(20), '*a'.repeat(200), '*'.repeat(5000), '{*,*a}'.repeat(6)])
    expect(isIn([`${glob}Z`], name)).toBe(false)
})

test('the published schema is what a model may send: fields with a default are optional', () => {
  const { inputSchema } = schemaOf(all[0]!)
  expect(inputSchema).toMatchObject({ type: 'object', required: ['path'] })
  expect(inputSchema.$schema).toBeUndefined()
})
