import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Session } from '../../src/contract/sessions.ts'
import { Why } from '../../src/contract/why.ts'
import { updateSession } from '../../src/store/sessions.ts'
import type { SessionRow } from '../../src/store/tables.ts'
import { troupe } from '../kit/program.ts'
import { createWorld, type World } from '../kit/world.ts'

const question = (text: string) => ({ name: 'ask_human', input: { question: text } })
const bash = (command: string) => ({ name: 'bash', input: { command } })

const why = (world: World, ref: string): Promise<Why> => world.ok<Why>('GET', `/api/why/${ref}`)

/** Puts a session into a state that only a process that died leaves behind. */
const leave = (world: World, session: Session, change: Partial<SessionRow>) =>
  world.server.core.store.write((db) => updateSession(db, session.id, change))

test('a session that another process runs, or left behind, is told apart', async () => {
  const world = await createWorld({ store: 'postgres' })
  const session = await world.session()
  const now = Date.now()
  const lease = { wanted_at: now, lease_owner: 'elsewhere', status: 'running' } as const
  await leave(world, session, { ...lease, lease_until: now + 600_000 })
  expect((await why(world, session.id)).text).toContain('begins a turn')
  // Not wanted, so that no process here takes it over while it is looked at.
  await leave(world, session, { ...lease, lease_until: now - 60_000, wanted_at: null })
  const left = await why(world, session.id)
  expect(left).toMatchObject({ waitsOn: [{ kind: 'runner', ref: 'elsewhere' }], wakes: { by: 'runner' } })
  await leave(world, session, { lease_owner: null, lease_until: null, status: 'idle' })
})

/** What a person or a model may do to a session, in any order. */
const acts = [
  'ask',
  'approve',
  'sleep',
  'fail',
  'answer',
  'mail',
  'held',
  'pause',
  'resume',
  'close',
  'cancel',
] as const

test('whatever state a session is in, there is an answer, and the command line prints the same', async () => {
  const now = Date.now()
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(fc.constantFrom(...acts), { maxLength: 5 }), { minLength: 2, maxLength: 4 }),
      async (plans) => {
        const world = await createWorld({ clock: { now: () => now } })
        world.vendor.script(({ lastUserText }) => {
          if (lastUserText.includes('fail')) return { error: { kind: 'auth' } }
          if (lastUserText.includes('ask')) return { calls: [question('Sure?')] }
          if (lastUserText.includes('approve')) return { calls: [bash('true')] }
          if (lastUserText.includes('sleep')) return { calls: [{ name: 'sleep', input: { seconds: 600 } }] }
          return { text: 'Yes.' }
        })
        const sessions = await Promise.all(plans.map(() => world.session({ agent: 'coder' })))
        await Promise.all(plans.map((plan, at) => live(world, sessions[at]!.id, plan)))
        const refs = [...sessions.map(({ id }) => id), ...(await refsOf(world))]
        for (const ref of refs) {
          const answer = Why.parse(await why(world, ref))
          expect(answer.text).toMatch(/^\S.*(, for \d| ago \().*\nNext: /s)
          expect(answer.text).not.toContain('undefined')
        }
        await world.eventually(
          async () =>
            (
              await world.server.core.store.read
                .selectFrom('sessions')
                .select('id')
                .where('wanted_at', 'is not', null)
                .execute()
            ).length === 0,
        )
        for (const { id } of sessions) {
          expect(await troupe(world, 'why', id)).toBe(`${(await why(world, id)).text}\n`)
        }
      },
    ),
    { numRuns: 4 },
  )
})

async function live(world: World, session: string, plan: readonly (typeof acts)[number][]): Promise<void> {
  for (const act of plan) {
    if (act === 'mail' || act === 'ask' || act === 'approve' || act === 'sleep' || act === 'fail')
      await world.send(session, act)
    else if (act === 'held') await world.send(session, 'later', { followup: true })
    else if (act === 'answer') await world.send(session, 'yes', { interrupt: true })
    else await world.request('POST', `/api/sessions/${session}/${act}`)
  }
}

async function refsOf(world: World): Promise<string[]> {
  const db = world.server.core.store.read
  const rows = [
    await db.selectFrom('calls').select('id').execute(),
    await db.selectFrom('mail').select('id').execute(),
    await db.selectFrom('inbox').select('id').execute(),
  ]
  return rows.flat().map(({ id }) => id)
}
