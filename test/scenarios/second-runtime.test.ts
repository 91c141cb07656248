import { expect, test } from 'vitest'
import type { Cost } from '../../src/contract/cost.ts'
import { type Part, textOf } from '../../src/contract/messages.ts'
import type { Why } from '../../src/contract/why.ts'
import type { Runtime, StepRequest } from '../../src/core/base/runtime.ts'
import { newId } from '../../src/lib/ids.ts'
import { cast } from '../kit/cast.ts'
import { storesInTurn } from '../kit/database.ts'
import { createWorld } from '../kit/world.ts'

/** Writes down what it heard as its first step, and says it back as its second. */
function echo(mayBegin: Promise<void>) {
  const asked: StepRequest[] = []
  const runtime: Runtime = {
    async step(request) {
      asked.push(request)
      await mayBegin
      const heard = textOf(request.history.find(({ role }) => role === 'user')?.parts ?? [])
      const input = { todos: [{ content: heard }] }
      const call: Part = { type: 'tool-call', callId: newId('call'), vendorCallId: 'one', name: 'todo_write', input }
      const isFirst = request.history.at(-1)?.role === 'user'
      return {
        parts: isFirst ? [call] : [{ type: 'text', text: `Echo: ${heard}` }],
        tokens: { input: 3, output: 2, cached: 0, reasoning: 0 },
        finish: isFirst ? 'tool-calls' : 'stop',
      }
    },
  }
  return { asked, runtime }
}

test.each(storesInTurn(import.meta.filename))(
  'an agent of another kind than a model runs with no model, window or price, on %s',
  async (store) => {
    const gate = Promise.withResolvers<void>()
    const { asked, runtime } = echo(gate.promise)
    const world = await createWorld({
      store,
      // A model that cannot be used: whoever looked for one would fail.
      settings: { providers: {}, defaultModel: 'nowhere/none' },
      files: cast({ parrot: { runtime: { kind: 'cli', preset: 'echo' }, model: 'nowhere/none' } }),
      runtimes: { cli: runtime },
    })
    const session = await world.session({ agent: 'parrot' })
    const { mailId } = await world.send(session.id, 'Polly')
    await world.eventually(async () => asked.length === 1)
    const why = await world.ok<Why>('GET', `/api/why/${session.id}`)
    expect(why).toMatchObject({ state: 'running', waitsOn: [{ ref: 'cli' }], wakes: { label: 'the answer of cli' } })
    gate.resolve()

    expect(await world.settled(mailId)).toMatchObject({ end: 'done', reply: 'Echo: Polly' })
    expect(await world.ok('GET', `/api/sessions/${session.id}/todos`)).toMatchObject({ items: [{ content: 'Polly' }] })
    expect(asked.map(({ candidate }) => candidate)).toEqual([undefined, undefined])
    expect(asked[0]?.tools.map(({ name }) => name)).toContain('todo_write')
    const { items } = await world.ok<{ items: Cost[] }>('GET', '/api/cost?by=model')
    expect(items).toMatchObject([{ key: 'cli', messages: 2, costUsd: 0, unpricedTokens: 10 }])
    const { problems } = await world.ok<{ problems: unknown[] }>('GET', '/api/agents/parrot')
    expect(problems).toEqual([])
    expect(world.vendor.requests).toEqual([])
  },
)
