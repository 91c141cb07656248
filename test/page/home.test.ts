import { expect, test } from 'vitest'
import { cronInWords } from '../../web/src/state/cron-words.ts'
import { forecast } from '../../web/src/state/forecast.ts'
import { callIn } from '../../web/src/state/item-gist.ts'
import { heldRuns } from '../../web/src/state/item-standing.ts'

const spent = (...days: number[]) => days.map((costUsd) => ({ costUsd }))

test('the rest of today is expected to cost what the days before did, those without cost left out', () => {
  const noon = new Date(2026, 4, 5, 12)
  expect(forecast(spent(0, 4, 2, 5), noon)).toBe(5 + 3 / 2)
  expect(forecast(spent(0, 0, 5), noon)).toBeUndefined()
  expect(forecast(spent(4, 5), new Date(2026, 4, 5, 23, 30))).toBeUndefined()
})

test('a cron line that says a time of days is told in words, and any other as it was written', () => {
  const said = ['0 4 * * *', '30 18 * * MON-FRI', '*/5 * * * *', '0 4 1 * *', '0 4,6 * * *'].map(cronInWords)
  expect(said).toEqual(['04:00 every day', '18:30 Mon to Fri', '*/5 * * * *', '0 4 1 * *', '0 4,6 * * *'])
})

test('a run stands still for the person while the question about its limit is open, and for no other item', () => {
  const lineage = [
    { kind: 'run', id: 'r1', label: 'A run' } as const,
    { kind: 'budget', id: 'b1', label: 'b' } as const,
  ]
  expect([
    ...heldRuns([
      { action: 'budget', lineage },
      { action: 'changes', lineage: [] },
    ]),
  ]).toEqual(['r1'])
  expect(heldRuns([{ lineage }, { action: 'price', lineage }])).toEqual(new Set())
})

test('an approval is named by the call that it is about, and nothing else is', () => {
  const body = 'bash in /work\ncommand: git push origin main\nAsked because no rule allows it.'
  expect(callIn({ kind: 'approval', body })).toBe('git push origin main')
  expect(callIn({ kind: 'question', body })).toBeUndefined()
  expect(callIn({ kind: 'approval', body: 'A server changed.' })).toBeUndefined()
})
