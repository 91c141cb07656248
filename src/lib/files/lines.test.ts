import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newFolder } from '../../../test/kit/files.ts'
import { appendLines, continueLines } from './lines.ts'

const line = (number: number) => ({ seq: `s${number}`, words: 'x'.repeat(80) })
const lines = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => line(from + at))

test('a log stops at its limit and says so once, whatever comes later and whoever goes on with it', async () => {
  const root = newFolder()
  await appendLines(root, 'log.jsonl', lines(0, 5), 1000)
  await appendLines(root, 'log.jsonl', lines(5, 40), 1000)
  const full = readFileSync(join(root, 'log.jsonl'), 'utf8')
  expect(Buffer.byteLength(full)).toBeLessThanOrEqual(1200)
  const written = full.trim().split('\n')
  expect(written.slice(0, -1)).toEqual(lines(0, written.length - 1).map((one) => JSON.stringify(one)))
  expect(written.at(-1)).toMatch(/"seq":"full".*\(1000 bytes\).*GET \/api\/events/)
  await appendLines(root, 'log.jsonl', lines(40, 41), 1000)
  await continueLines(root, 'log.jsonl', lines(39, 42), 1000)
  expect(readFileSync(join(root, 'log.jsonl'), 'utf8')).toBe(full)
})
