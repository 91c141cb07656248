import { expect, test } from 'vitest'
import { troupe } from '../../../test/kit/program.ts'
import { createWorld } from '../../../test/kit/world.ts'
import { momentIn } from './away.ts'

const now = new Date(2026, 4, 1, 12, 0).getTime()
const at = (...when: [number, number, number, number]) => new Date(2026, ...when).toISOString()

test.each([
  ['90m', at(4, 1, 13, 30)],
  ['8h', at(4, 1, 20, 0)],
  ['18:00', at(4, 1, 18, 0)],
  ['9:15', at(4, 2, 9, 15)],
  ['2026-05-03T09:00', at(4, 3, 9, 0)],
])('"troupe away %s" says when the person is back', (text, moment) => {
  expect(momentIn(text, now)).toBe(moment)
})

test('"troupe away" refuses what is no time', () => {
  expect(() => momentIn('soon', now)).toThrow('"soon" is no time.')
  for (const text of ['5000000d', '99999999999999999d']) expect(() => momentIn(text, now)).toThrow('too far off')
})

test('a person goes away, pauses everything and lets it go on, by commands', async () => {
  const world = await createWorld()
  expect(await troupe(world, 'away', '8h')).toContain('You are away until')
  expect(await troupe(world, 'pause', '--all')).toContain('Everything is paused')
  const shown = await troupe(world, 'status')
  expect(shown).toContain('You are away until')
  expect(shown).toContain('Everything is paused since')
  expect(await world.ok('GET', '/api/presence')).toMatchObject({ status: 'away', pausedSince: expect.any(String) })
  expect(await troupe(world, 'resume', '--all')).toContain('Everything goes on')
  expect(await troupe(world, 'available')).toContain('You are available')
  expect(await world.ok('GET', '/api/presence')).toEqual({ status: 'available' })
})

test('who goes away reads what becomes of questions and approvals meanwhile', async () => {
  const world = await createWorld()
  expect(await troupe(world, 'away')).toBe(
    '✓ You are away.\n  questions  wait for you (questions.unattended)\n  approvals  wait for you (permissions.unattended)\n',
  )
  const changes = {
    questions: { unattended: 'expire:600' },
    'permissions.unattended': 'deny',
    'channels.to.post': { type: 'webhook', url: 'https://hooks.example.org' },
    'channels.away': ['post'],
  }
  await world.ok('PATCH', '/api/settings', { where: 'home', changes })
  const shown = await troupe(world, 'away')
  expect(shown).toContain('questions  end after 600 s without an answer')
  expect(shown).toContain('approvals  are denied')
  expect(shown).toContain('both are told to post')
  await world.ok('PATCH', '/api/settings', { where: 'home', changes: { 'questions.unattended': 'first' } })
  expect(await troupe(world, 'away')).toContain('questions  are answered with their first option')
})
