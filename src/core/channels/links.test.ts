import { expect, test } from 'vitest'
import { makeFolders } from '../../../test/kit/folders.ts'
import type { InboxRow } from '../../store/tables.ts'
import type { Core } from '../base/index.ts'
import { linkFor } from './links.ts'

const publicUrl = 'https://troupe.example.org'
const item = (more: Partial<InboxRow>) => ({ kind: 'notice', call_id: null, action: null, ...more }) as InboxRow

const question = item({ kind: 'question', call_id: 'call_1' })
const approval = item({ kind: 'approval', call_id: 'call_1' })
const budget = item({ action: 'budget' })

function linked(row: InboxRow, given: { publicUrl: string | undefined; approvals: boolean }, id = 'delivery_1') {
  return linkFor(folders.core as unknown as Core, { id }, row, given)
}
let folders: ReturnType<typeof makeFolders>

test('a question has a link; what lets a call run or spends money has one only where links may decide; news has none', () => {
  folders = makeFolders()
  const without = { publicUrl, approvals: false }
  const allowed = { publicUrl, approvals: true }
  expect([question, approval, budget, item({})].map((row) => linked(row, without) !== undefined)).toEqual([
    true,
    false,
    false,
    false,
  ])
  expect([question, approval, budget, item({})].map((row) => linked(row, allowed) !== undefined)).toEqual([
    true,
    true,
    true,
    false,
  ])
  expect(linked(question, { publicUrl: undefined, approvals: true })).toBeUndefined()
})

test('a link is signed for one delivery, and the public address may end with a slash', () => {
  folders = makeFolders()
  const given = { publicUrl: `${publicUrl}/`, approvals: false }
  const [one, two] = [linked(question, given), linked(question, given, 'delivery_2')]
  expect(one).toMatch(/^https:\/\/troupe\.example\.org\/answer\/delivery_1\.[0-9a-f]{64}$/)
  expect(one!.split('.').at(-1)).not.toBe(two!.split('.').at(-1))
  expect(linked(question, given)).toBe(one)
})
