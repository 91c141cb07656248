import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { storesInTurn } from '../kit/database.ts'
import { putFile } from '../kit/files.ts'
import { notices } from '../kit/records.ts'
import type { SeenRequest } from '../kit/vendor/reply.ts'
import { createWorld, type World } from '../kit/world.ts'

/** Agents of the project, whose files come, change and go. */
const ann = '.troupe/agents/ann.md'
const prose = (name: string): string => `---\ndescription: A member of the team\n---\nYou are ${name}.\n`

const put = (world: World, path: string, text: string) => putFile(join(world.project, path), text)

const promptOf = (world: World, session: string) =>
  world.ok<{ text: string; frozen: boolean }>('GET', `/api/sessions/${session}/prompt`)

/** What a vendor's cache goes by: the tools, the system prompt, and the messages in their order. */
function sent({ body }: SeenRequest): string[] {
  const { tools, system, messages } = body as { tools: unknown; system: unknown; messages: unknown[] }
  return [tools, system, ...messages].map((part) => withoutMarks(JSON.stringify(part)))
}

/** Where the cache may end moves on; it is no part of what is kept. */
const withoutMarks = (json: string | undefined): string =>
  (json ?? '').replaceAll(',"cache_control":{"type":"ephemeral"}', '')

function expectOnePrefix(requests: readonly SeenRequest[]): void {
  for (const [at, request] of requests.entries()) {
    const earlier = at === 0 ? [] : sent(requests[at - 1]!)
    expect(sent(request).slice(0, earlier.length)).toEqual(earlier)
  }
}

describe.each(storesInTurn(import.meta.filename))('what changes during a session on %s', (store) => {
  test.each(['openai-compatible', 'anthropic'] as const)(
    'arrives once as a message, and all that was sent before stays as it was (%s)',
    async (protocol) => {
      const world = await createWorld({ store, protocol, files: { 'AGENTS.md': 'Use tabs.', [ann]: prose('ann') } })
      const session = await world.session()
      await world.say(session.id, 'One')
      const { text } = await promptOf(world, session.id)
      expect(text).toContain('- ann: A member of the team')

      put(world, '.troupe/agents/ben.md', prose('ben'))
      await world.say(session.id, 'Two')
      await world.say(session.id, 'Three')
      expect(await notices(world, session.id)).toEqual([expect.stringMatching(/<agents>[\s\S]*- ann[\s\S]*- ben/)])

      put(world, 'AGENTS.md', 'Use spaces.')
      rmSync(join(world.project, ann))
      await world.say(session.id, 'Four')
      await world.say(session.id, 'Five')
      const [, second, ...more] = await notices(world, session.id)
      expect(more).toEqual([])
      expect(second).toMatch(/<project>[\s\S]*Use spaces\.[\s\S]*<agents>[\s\S]*- ben/)
      expect(second).not.toContain('- ann')

      rmSync(join(world.project, 'AGENTS.md'))
      await world.say(session.id, 'Six')
      expect((await notices(world, session.id)).at(-1)).toContain('<project> is empty now')

      const { requests } = world.vendor
      expect(requests).toHaveLength(6)
      expect(requests.every(({ system }) => system === text)).toBe(true)
      expect(await promptOf(world, session.id)).toMatchObject({ text, frozen: true })
      expectOnePrefix(requests)
      expect(requests[1]!.messages.map(({ text }) => text).join('\n')).toMatch(
        /\[message from human\]\nTwo\s+\[message from system\]\nParts of your instructions/,
      )
    },
  )

  test('is told although the server stopped in between, and not a second time', async () => {
    const world = await createWorld({ store, files: { 'AGENTS.md': 'Use tabs.' } })
    const session = await world.session()
    await world.say(session.id, 'One')
    await world.server.stop()
    put(world, 'AGENTS.md', 'Use spaces.')
    await world.restart()
    const gate = Promise.withResolvers<void>()
    world.vendor.script(() => ({ text: 'Yes.', delay: gate.promise }))
    const mail = await world.send(session.id, 'Two')
    await world.eventually(async () => world.vendor.requests.length === 2)
    // It is in the log, and the model has not answered yet.
    await world.restart()
    gate.resolve()
    await world.settled(mail.mailId)
    await world.say(session.id, 'Three')
    expect(await notices(world, session.id)).toEqual([expect.stringContaining('Use spaces.')])
    expectOnePrefix(world.vendor.requests)
  })

  test('waits for a model call: by itself it makes none, and a turn that fails before one loses nothing', async () => {
    const world = await createWorld({ store, files: { 'AGENTS.md': 'Use tabs.', [ann]: prose('ann') } })
    const session = await world.session({ agent: 'ann' })
    await world.say(session.id, 'One')
    put(world, 'AGENTS.md', 'Use spaces.')
    put(world, ann, '---\nmodle: x/y\n---\n')
    expect(await world.say(session.id, 'Two')).toMatchObject({ end: 'error' })
    expect(world.vendor.requests).toHaveLength(1)
    expect(await notices(world, session.id)).toEqual([])
    put(world, ann, prose('ann'))
    await world.say(session.id, 'Three')
    expect(await notices(world, session.id)).toEqual([expect.stringContaining('Use spaces.')])
    expectOnePrefix(world.vendor.requests)
  })

  test('a new prompt begins with what holds now; what a message said wrong since is put right by another', async () => {
    const world = await createWorld({ store, files: { 'AGENTS.md': 'Use tabs.', [ann]: prose('ann') } })
    const session = await world.session({ agent: 'ann' })
    await world.say(session.id, 'One')
    put(world, ann, 'You are ann, and dry.')
    put(world, 'AGENTS.md', 'Use spaces.')
    await world.say(session.id, 'Two')
    const second = await promptOf(world, session.id)
    expect(second.text).toMatch(/and dry\.[\s\S]*Use spaces\./)
    expect(await notices(world, session.id)).toEqual([])

    put(world, 'AGENTS.md', 'Use nothing.')
    await world.say(session.id, 'Three')
    expect(await notices(world, session.id)).toEqual([expect.stringContaining('Use nothing.')])
    put(world, 'AGENTS.md', 'Use tabs.')
    await world.ok('PATCH', `/api/sessions/${session.id}`, { model: 'lab/other-model' })
    await world.say(session.id, 'Four')
    expect((await promptOf(world, session.id)).text).toContain('Use tabs.')
    expect((await notices(world, session.id)).at(-1)).toContain('Use tabs.')

    const fork = await world.ok<{ id: string }>('POST', `/api/sessions/${session.id}/fork`, {})
    put(world, 'AGENTS.md', 'Use both.')
    await world.say(fork.id, 'Five')
    expect((await notices(world, fork.id)).at(-1)).toContain('Use both.')

    await world.ok('POST', `/api/sessions/${session.id}/clear`)
    await world.say(session.id, 'Six')
    expect((await promptOf(world, session.id)).text).toContain('Use both.')
    expect(await notices(world, session.id)).toEqual([])
  })
})
