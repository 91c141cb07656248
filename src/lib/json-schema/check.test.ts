import { expect, test } from 'vitest'
import { checkJson } from './check.ts'

const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more })

test('what does not fit is told by field, a few of them at most', async () => {
  const schema = object(
    { a: { type: 'string', minLength: 2 }, b: { type: 'array', items: { type: 'integer' } }, c: { $ref: '#/$defs/c' } },
    { required: ['z'], additionalProperties: false, $defs: { c: object({}, { required: ['q'] }) } },
  )
  expect(await checkJson({ schema, value: { a: 'xx', z: 1 } })).toEqual(['z: is not a field that it takes.'])
  const problems = await checkJson({ schema, value: { a: 'x', b: [1, 'two'], c: {}, d: 1, e: 2, f: 3 } })
  expect(problems).toEqual([
    expect.stringMatching(/^the input: .*"z"/),
    expect.stringMatching(/^a: .*too short/),
    expect.stringMatching(/^b\.1: .*integer/),
    expect.stringMatching(/^c: .*"q"/),
    'd: is not a field that it takes.',
    'and 2 more',
  ])
  expect(await checkJson({ schema: object({}), value: {} })).toEqual([])
})

test('a pattern or a nest of references that takes for ever is cut off, and the next check is made', async () => {
  const pattern = object({ a: { type: 'string', pattern: '^(a+)+$' } })
  await expect(checkJson({ schema: pattern, value: { a: `${'a'.repeat(60)}!` } }, 300)).rejects.toThrow('longer than')
  const steps = Array.from({ length: 60 }, (_, at) => [
    `d${at}`,
    { anyOf: [{ $ref: `#/$defs/d${at + 1}` }, { $ref: `#/$defs/d${at + 1}` }] },
  ])
  const nest = { type: 'object', $ref: '#/$defs/d0', $defs: { ...Object.fromEntries(steps), d60: { const: 1 } } }
  await expect(checkJson({ schema: nest, value: {} }, 300)).rejects.toThrow('longer than')
  await expect(checkJson({ schema: { type: 'object', $ref: '#' }, value: {} }, 2000)).rejects.toThrow()
  await expect(checkJson({ schema: object({}, { $ref: 'http://127.0.0.1:9/x' }), value: {} })).rejects.toThrow()
  expect(await checkJson({ schema: pattern, value: { a: 'aaa' } })).toEqual([])
})

test('checks that come together are made one after the other, each by its own schema', async () => {
  const all = Array.from({ length: 20 }, (_, n) => checkJson({ schema: object({ n: { const: n } }), value: { n: 7 } }))
  const answers = await Promise.all(all)
  expect(answers.flatMap((problems, at) => (problems.length === 0 ? [at] : []))).toEqual([7])
})
