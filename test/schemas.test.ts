import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { schemas } from '../scripts/schemas.ts'

test.each(Object.entries(schemas))('%s is as the contract says (npm run schemas writes it)', (path, text) => {
  expect(readFileSync(join(import.meta.dirname, '..', path), 'utf8')).toBe(text)
})

test('the schemas refuse unknown fields and know every field of the contract', () => {
  for (const [path, text] of Object.entries(schemas)) {
    const schema = JSON.parse(text)
    const some = path.includes('tool') ? ['inputSchema', 'env'] : ['permissions', 'limits']
    expect(schema.additionalProperties).toBe(false)
    expect(Object.keys(schema.properties)).toEqual(expect.arrayContaining(['$schema', ...some]))
  }
})
