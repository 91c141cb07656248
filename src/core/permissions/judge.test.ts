import { expect, test } from 'vitest'
import { z } from 'zod'
import { AppError } from '../../contract/errors.ts'
import { PathError } from '../../lib/files/paths.ts'
import type { ToolContext } from '../base/index.ts'
import { defineTool, runTool } from './judge.ts'

/** What the model reads of a tool that throws, and what the security log hears. */
async function thrown(error: unknown): Promise<{ output: unknown; refused: string[]; logged: string[] }> {
  const refused: string[] = []
  const logged: string[] = []
  const tool = defineTool({
    name: 'lift',
    description: 'Lifts.',
    input: z.strictObject({}),
    capabilities: [],
    run: () => Promise.reject(error),
  })
  const context = { signal: new AbortController().signal, core: { log: (level: string) => logged.push(level) } }
  const result = await runTool(tool, {}, context as unknown as ToolContext, (because) => refused.push(because))
  return { output: 'output' in result ? result.output : result, refused, logged }
}

test('what a tool throws reaches the model as a sentence with the way out, and only surprises are logged', async () => {
  const hint = 'Try another.'
  expect(await thrown(new AppError('tool.failed', 'It broke.', { hint }))).toMatchObject({
    output: 'It broke. Try another.',
    logged: [],
  })
  expect(await thrown(new AppError('tool.failed', 'It broke.'))).toMatchObject({ output: 'It broke.' })
  expect(await thrown(new PathError('path.kind', 'A pipe.'))).toMatchObject({ output: 'A pipe.', logged: [] })
  const surprise = Object.assign(new Error('It fell.'), { hint })
  expect(await thrown(surprise)).toMatchObject({ output: 'It fell.', logged: ['warn'] })
  expect(await thrown('no error at all')).toMatchObject({ output: 'no error at all', logged: ['warn'] })
})

test('a refusal by the tool itself is heard, any other failure is not', async () => {
  expect(await thrown(new AppError('auth.forbidden', 'Not for you.'))).toMatchObject({ refused: ['Not for you.'] })
  expect(await thrown(new AppError('tool.failed', 'It broke.'))).toMatchObject({ refused: [] })
})
