import type { Session } from '../../src/contract/sessions.ts'
import { cast } from './cast.ts'
import { createClock } from './clock.ts'
import type { StoreKind } from './database.ts'
import { heard } from './records.ts'
import * as script from './script.ts'
import type { Reply } from './vendor/reply.ts'
import { createWorld, type World, type WorldOptions } from './world.ts'

export const ask = (to: string, message = 'Is it so?', more = {}): Reply => ({
  calls: [script.ask(to, message, more)],
})

/** Ann, Ben and Cyd, each in a session of its own, and a clock that moves only when it is told to. */
export async function place(store: StoreKind, options: WorldOptions = {}) {
  const clock = createClock()
  const world = await createWorld({
    store,
    files: cast('ann', 'ben', 'cyd'),
    clock,
    ...options,
  })
  const [ann, ben, cyd] = [
    await world.session({ agent: 'ann' }),
    await world.session({ agent: 'ben' }),
    await world.session({ agent: 'cyd' }),
  ]
  return {
    world,
    ann,
    ben,
    cyd,
    /** What an agent does next: one reply for each of its model calls. */
    plays: (model: string, ...replies: Reply[]) => world.vendor.queue({ model }, ...replies),
    pass: (seconds: number) => {
      clock.at += seconds * 1000
      world.server.core.alarm(0)
    },
  }
}

/** Ann has asked Ben, who has read the question and answers when the gate opens. */
export async function asked(store: StoreKind, { timeout = 600, text = 'It is.' } = {}) {
  const made = await place(store)
  const gate = Promise.withResolvers<void>()
  made.plays('ann', ask('ben', 'Is it so?', { timeout }), { text: 'Thanks.' })
  made.plays('ben', { text, delay: gate.promise })
  const mail = await made.world.send(made.ann.id, 'Ask Ben')
  await made.world.reaches(made.ann.id, 'waiting')
  await read(made.world, made.ben, 1)
  return { ...made, gate, mail }
}

/** The session has read so many messages and its model is at work on them. */
export const read = (world: World, session: Session, count: number) =>
  world.eventually(async () => {
    const busy = (await world.look(session.id)).status === 'running'
    return busy && (await heard(world, session)).length === count
  })
