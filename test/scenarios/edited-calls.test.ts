import { expect, test } from 'vitest'
import { createWorld } from '../kit/world.ts'

test('an edit of what an agent said beside a call keeps the call, so that its result still has one', async () => {
  const world = await createWorld()
  world.vendor.reply({ text: 'Let me look.', calls: [{ name: 'list_dir', input: { path: '.' } }] }, { text: 'Empty.' })
  const session = await world.session()
  await world.say(session.id, 'Look')
  const [, said] = await world.messages(session.id)
  await world.ok('PATCH', `/api/sessions/${session.id}/messages/${said!.id}`, { text: 'I look.' })
  const [, edited] = await world.messages(session.id)
  expect(edited!.parts).toMatchObject([
    { type: 'text', text: 'I look.' },
    { type: 'tool-call', name: 'list_dir' },
  ])
})
