import { expect, test } from 'vitest'
import type { AppError } from '../../contract/errors.ts'
import type { Runtime, StepResult } from '../base/index.ts'
import { runtimeOf } from './runtimes.ts'

const runtime = (): Runtime => ({ step: async () => Promise.reject<StepResult>(new Error('no step is taken here')) })
const ann = { name: 'ann' }

test('an agent is run by what its definition names, and by a model where it names nothing', () => {
  const runtimes = { model: runtime(), cli: runtime() }
  expect(runtimeOf({ runtimes }, ann, {})).toBe(runtimes.model)
  expect(runtimeOf({ runtimes }, ann, { runtime: { kind: 'model' } })).toBe(runtimes.model)
  expect(runtimeOf({ runtimes }, ann, { runtime: { kind: 'cli', preset: 'any' } })).toBe(runtimes.cli)
})

test('a kind that nobody runs is refused by name, with the field and what there is', () => {
  const refused = (): unknown =>
    runtimeOf({ runtimes: { model: runtime() } }, ann, { runtime: { kind: 'a2a', url: 'https://agents.example' } })
  expect(refused).toThrow(
    expect.objectContaining({
      code: 'agent.no_runtime',
      message: expect.stringMatching(/"ann".*kind "a2a"/),
      hint: expect.stringMatching(/"runtime\.kind".*\(model\)/),
    } satisfies Partial<AppError>),
  )
})
