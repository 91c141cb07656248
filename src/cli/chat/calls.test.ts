import { expect, test } from 'vitest'
import { summaryOf } from '../../client/call-words.ts'
import { foldedGroup, liveGroup, openedCall } from './call-lines.ts'
import { createCalls } from './calls.ts'
import { changeOf } from './diff.ts'
import { duration } from './duration.ts'

function done(...given: [name: string, input: unknown][]) {
  const calls = createCalls()
  given.forEach(([name, input], at) => {
    calls.started(`call_${at}`, name, JSON.stringify(input), 0)
    calls.ended(`call_${at}`, { ok: true, durationMs: 1050, problem: '' })
  })
  return calls
}

test('one call is one line with what it did and how long it took', () => {
  expect(foldedGroup(done(['bash', { command: 'npm test' }]).group, 80)).toEqual(['  ▸ bash npm test  1.1 s'])
})

test('several calls are folded into what they did', () => {
  const { group } = done(
    ['bash', { command: 'a' }],
    ['bash', { command: 'b' }],
    ['edit_file', { path: 'x' }],
    ['write_file', { path: 'x' }],
    ['read_file', { path: 'y' }],
  )
  expect(summaryOf(group)).toBe('ran 2 commands, edited 1 file, read 1 file')
  expect(foldedGroup(group, 80)).toHaveLength(1)
  const led = ['spawn_worker', 'spawn_worker', 'start_stage', 'web_search'].map((name) => ({ name, input: {} }))
  expect(summaryOf(led)).toBe('took on 2 workers, started 1 stage, searched the web once')
  expect(summaryOf([{ name: 'own_tool', input: {} }])).toBe('own_tool')
})

test('what failed is never folded away, and says why', () => {
  const calls = done(['bash', { command: 'a' }])
  calls.started('call_x', 'read_file', '{"path":"gone.txt"}', 0)
  calls.ended('call_x', { ok: false, durationMs: 5, problem: 'There is nothing at "gone.txt".' })
  const lines = foldedGroup(calls.group, 80)
  expect(lines[1]).toContain('✗ read_file gone.txt')
  expect(lines[2]).toContain('There is nothing at')
})

test('a running command shows how long it runs and what it printed last', () => {
  const calls = createCalls()
  calls.started('call_1', 'bash', '{"command":"make"}', 1000)
  const about = { project: 'p', sessionId: 's', turnId: 'turn_1', attempt: 'call_1', kind: 'output' as const }
  calls.printed({ ...about, offset: 0, text: 'compiling a\ncompiling b\x1b[2K\n' })
  expect(liveGroup(calls.group, { width: 80, now: 4000, spinner: '*' })).toEqual([
    '  * bash make  3.0 s',
    '    compiling b[2K',
  ])
})

test('the time a call waited for permission does not count as its own', () => {
  const calls = createCalls()
  calls.waits('call_1', 'bash', 1000)
  expect(liveGroup(calls.group, { width: 80, now: 60_000, spinner: '*' })).toEqual(['  ? bash'])
  calls.started('call_1', 'bash', '{"command":"make"}', 60_000)
  expect(liveGroup(calls.group, { width: 80, now: 62_000, spinner: '*' })[0]).toMatch(/^ {2}\* bash.* {2}2\.0 s$/)
})

test('an edit opens as a diff, and its line counts what came and went', () => {
  const { group } = done([
    'edit_file',
    { path: 'a.ts', old_string: 'one\ntwo\nthree', new_string: 'one\n2\nthree\nfour' },
  ])
  expect(openedCall(group[0]!, 80)).toEqual([
    '  ▸ edit_file a.ts  +2 -1  1.1 s',
    '  │   one',
    '  │ - two',
    '  │ + 2',
    '  │   three',
    '  │ + four',
  ])
})

test('of what stays the same only the lines beside a change are shown', () => {
  const old = Array.from({ length: 40 }, (_, at) => `line ${at}`)
  const change = changeOf('edit_file', { old_string: old.join('\n'), new_string: old.with(20, 'changed').join('\n') })
  expect(change).toMatchObject({ added: 1, removed: 1 })
  expect(change?.lines.length).toBeLessThan(12)
})

test.each([
  [12, '12 ms'],
  [2100, '2.1 s'],
  [65_000, '1m 05s'],
])('%d ms are "%s"', (ms, text) => {
  expect(duration(ms)).toBe(text)
})
