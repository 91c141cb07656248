import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { onSession } from '../../src/core/base/transaction.ts'
import { reserve, settleAbandoned, settleReservation } from '../../src/core/spending/reservations.ts'
import { budgetsOf } from '../../src/store/budgets.ts'
import type { TurnRow } from '../../src/store/tables.ts'
import { insertTurn } from '../../src/store/turns.ts'
import { stores } from '../kit/database.ts'
import { createWorld } from '../kit/world.ts'

const SESSIONS = 6

const command = fc.record({
  session: fc.nat(SESSIONS - 1),
  does: fc.constantFrom('reserve', 'reserve', 'reserve', 'settle', 'settle', 'crash'),
  tokens: fc.integer({ min: 512, max: 40_000 }),
  /** Which share of what was reserved the request cost in the end. */
  share: fc.double({ min: 0, max: 1, noNaN: true }),
})

describe.each(stores)('on %s', (store) => {
  test('whoever reserves, settles and crashes at the same moment: no budget is ever overdrawn, and all adds up', {
    timeout: 120_000,
  }, async () => {
    const world = await createWorld({ store })
    const { core } = world.server
    const sessions = await Promise.all(Array.from({ length: SESSIONS }, () => world.session()))
    let runs = 0

    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(command, { minLength: 1, maxLength: 8 }), { maxLength: 12 }),
        async (rounds) => {
          runs += 1
          const turns: TurnRow[] = []
          for (const [at, { id }] of sessions.entries())
            turns.push(await core.store.write((db) => insertTurn(db, `turn_${runs}_${at}`, id, 1)))
          const shared = `turn:turn_${runs}_0`
          const limits = { turnUsd: 1, agentDayUsd: undefined, dayUsd: undefined, agentProject: null }
          const purse = (at: number) => ({
            limits: { ...limits, turnUsd: at === 0 ? 1 : 0.3 },
            above: [shared],
            tasks: [],
          })
          const quote = { costUsd: (input: number, output: number) => (input + 10 * output) / 1e6, outputTokens: 0 }
          const open = new Map<string, number>()
          let spent = 0
          let requests = 0

          const take = (at: number, output: number) =>
            onSession(core, sessions[at]!.id, 'test.reserve', async (tx, session) => {
              const id = `${runs}:${requests++}`
              const wanted = { id, quote, input: 1000, output }
              const taken = await reserve(core, tx, { session, turn: turns[at]!, purse: purse(at) }, wanted)
              return 'output' in taken ? { id, usd: quote.costUsd(1000, taken.output) } : undefined
            })
          const settle = async (at: number, share: number) => {
            const [id] = [...open.keys()]
            if (id === undefined) return
            const usd = open.get(id)! * share
            open.delete(id)
            spent += Math.round(usd * 1e9)
            await onSession(core, sessions[at]!.id, 'test.settle', (tx) => settleReservation(tx, id, usd))
          }

          await take(0, 512).then((taken) => open.set(taken!.id, taken!.usd))
          for (const round of rounds) {
            const crashes = round.some(({ does }) => does === 'crash')
            const reserved = await Promise.all(
              round.map(({ session, does, tokens, share }) => {
                if (does === 'reserve') return take(session, tokens)
                return does === 'settle' ? settle(session, share).then(() => undefined) : undefined
              }),
            )
            for (const taken of reserved) if (taken) open.set(taken.id, taken.usd)
            if (crashes) {
              await settleAbandoned(core)
              for (const usd of open.values()) spent += Math.round(usd * 1e9)
              open.clear()
            }
            const rows = await core.store.read.selectFrom('budgets').selectAll().execute()
            const held = await core.store.read.selectFrom('reservations').selectAll().execute()
            for (const row of rows) {
              expect(row.spent_nanos + row.reserved_nanos, row.id).toBeLessThanOrEqual(row.limit_nanos)
              const sum = held
                .filter((one) => budgetsOf(one).includes(row.id))
                .reduce((all, { nanos }) => all + nanos, 0)
              expect(row.reserved_nanos, row.id).toBe(sum)
            }
            expect(rows.find(({ id }) => id === shared)?.spent_nanos).toBe(spent)
          }
          await settleAbandoned(core)
        },
      ),
      { numRuns: store === 'sqlite' ? 25 : 10 },
    )
  })
})
