import { expect, test } from 'vitest'
import type { MailRow, TurnRow } from '../../store/tables.ts'
import { causeOf } from './chains.ts'

const mail = (from_kind: 'human' | 'agent' | 'system', chain_id: string, hops = 0) =>
  ({ from_kind, chain_id, hops }) as MailRow

/** What a turn goes back to once it has taken these, in this order. */
function after(...taken: MailRow[]) {
  const turn = { chain_id: null, hops: 0, cause: 'system' } as TurnRow
  causeOf(turn, taken)
  return [turn.cause, turn.chain_id, turn.hops]
}

test('a turn goes back to the first mail of a person, before or behind whatever agents wrote', () => {
  const [first, second] = [mail('human', 'chain_1'), mail('human', 'chain_2')]
  const far = mail('agent', 'chain_3', 9)
  for (const taken of [
    [first, second, far],
    [first, far, second],
    [far, first, second],
  ])
    expect(after(...taken)).toEqual(['human', 'chain_1', 0])
})

test('without a person it goes back to the mail that is furthest from one, the first of those that are as far', () => {
  const [near, far, asFar] = [mail('agent', 'chain_1', 1), mail('system', 'chain_2', 3), mail('agent', 'chain_3', 3)]
  expect(after(near, far, asFar)).toEqual(['system', 'chain_2', 3])
  expect(after(asFar, far, near)).toEqual(['agent', 'chain_3', 3])
})

test('a person who writes attends to what was left alone; nobody else does, and no second person who is away', () => {
  const alone = mail('human', 'unattended_1')
  expect(after(alone, mail('human', 'chain_2'))).toEqual(['human', 'chain_2', 0])
  expect(after(alone, mail('agent', 'chain_2', 4))).toEqual(['human', 'unattended_1', 0])
  expect(after(alone, mail('human', 'unattended_2'))).toEqual(['human', 'unattended_1', 0])
})

test('what others write moves a turn to less that is done in a person’s absence, never to more', () => {
  const chains = ['chain_1', 'unattended_1', 'allowed_1']
  for (const [index, from] of chains.entries()) {
    for (const [to, chain] of chains.entries()) {
      expect(after(mail('agent', from, 1), mail('agent', chain, 2))).toEqual(['agent', chains[Math.min(index, to)], 2])
    }
  }
})
