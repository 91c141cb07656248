import { readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolder } from '../../test/kit/files.ts'
import { fileLog } from './log.ts'

const messagesIn = (file: string): string[] =>
  readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).message)

function openLog(limit = 4000) {
  const file = join(makeFolder(), 'a.log')
  const keeps = [/^kept/, /^also/]
  const open = () => fileLog({ file, now: () => 0, mask: (text) => text, keeps, limit })
  return { file, open }
}

test('two files at most, each bounded, whatever is written', () => {
  const { file, open } = openLog()
  const log = open()
  for (let at = 0; at < 1000; at++) log('warn', `line ${at}`)
  for (const each of [file, `${file}.1`]) expect(readFileSync(each).length).toBeLessThan(4200)
  expect(messagesIn(file).at(-1)).toBe('line 999')
})

test('lines that are kept outlast any number of files, once each, and the newest of them when they are many', () => {
  const { file, open } = openLog()
  const log = open()
  log('warn', 'kept 1')
  // What a caller wrote does not make a line one of these.
  log('warn', 'junk', { reason: '","level":"warn","message":"kept by trick"' })
  for (let at = 0; at < 500; at++) log('warn', `junk ${at}`)
  log('warn', 'kept 2')
  for (let at = 0; at < 500; at++) log('warn', `junk ${at}`)
  expect(messagesIn(file).filter((message) => !message.startsWith('junk'))).toEqual(['kept 1', 'kept 2'])
  for (let at = 0; at < 500; at++) log('warn', `kept ${'x'.repeat(50)} ${at}`)
  for (let at = 0; at < 200; at++) log('warn', 'junk')
  const kept = messagesIn(file).filter((message) => message.startsWith('kept'))
  expect(kept.length).toBeLessThan(20)
  expect(kept.at(-1)).toMatch(/ 499$/)
})

test('of two kinds that are kept, a flood of one turns out none of the other, and the order stays', () => {
  const { file, open } = openLog()
  const log = open()
  for (const message of ['also 1', 'kept 1', 'also 2']) log('warn', message)
  for (let at = 0; at < 500; at++) log('warn', `kept ${'x'.repeat(50)} ${at}`)
  const kept = messagesIn(file)
  expect(kept.filter((message) => message.startsWith('also'))).toEqual(['also 1', 'also 2'])
  expect(kept.slice(0, 2)).toEqual(['also 1', 'also 2'])
  expect(kept.at(-1)).toMatch(/ 499$/)
})

test('a crash between the renaming and the writing loses none of them', () => {
  const { file, open } = openLog()
  const log = open()
  log('warn', 'kept 1')
  for (let at = 0; at < 30; at++) log('warn', 'junk')
  renameSync(file, `${file}.1`)
  const after = open()
  for (let at = 0; at < 500; at++) after('warn', 'junk')
  expect(messagesIn(file)).toContain('kept 1')
})
