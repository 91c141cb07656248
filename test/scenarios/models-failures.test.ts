import { expect, test } from 'vitest'
import type { Session } from '../../src/contract/sessions.ts'
import { protocols, providerAt } from '../kit/vendor/runtime.ts'
import { type Reply, startVendor } from '../kit/vendor/server.ts'
import { createWorld, type World } from '../kit/world.ts'

interface Case {
  readonly reply: Reply
  /** What the person reads. */
  readonly reason: RegExp
}

const text = 'One two three four five six.'
const calls = [{ name: 'read_file', input: { path: 'a.txt' } }]
const cut = (share: number): Case => ({ reply: { text, calls, cut: share }, reason: /broke off|cannot be reached/ })

/** One thing that the person can do, whatever failed. */
const NEXT =
  /Send a message to try again|choose another|Check (it|that|providers)|Top it up|"troupe models"|Go on in a new/

const SHUT = '429 for longer than anyone waits'

const SILENCE = 'silence in mid-stream'

const cases: Record<string, Case> = {
  '429 without Retry-After': { reply: { error: { kind: 'rate-limit' } }, reason: /limiting how many requests/ },
  [SHUT]: {
    reply: { error: { kind: 'rate-limit', retryAfter: 7200 } },
    reason: /wait 7200 s/,
  },
  '529': { reply: { error: { kind: 'overloaded', status: 529 } }, reason: /overloaded/ },
  '500': { reply: { error: { kind: 'server', status: 500 } }, reason: /internal error/ },
  '401': { reply: { error: { kind: 'auth' } }, reason: /did not accept the key/ },
  '400': { reply: { error: { kind: 'bad-request' } }, reason: /refused the request \(400\)/ },
  'context too long': { reply: { error: { kind: 'context' } }, reason: /too long/ },
  'no credit': { reply: { error: { kind: 'broke' } }, reason: /no credit/ },
  'an unknown model': { reply: { error: { kind: 'not-found' } }, reason: /does not know the model/ },
  refusal: { reply: { error: { kind: 'policy' } }, reason: /declined to answer/ },
  'overload inside the stream': {
    reply: { text: 'Half a', error: { kind: 'overloaded', inStream: true } },
    reason: /overloaded/,
  },
  'an empty 200': { reply: { empty: true }, reason: /empty answer|broke off/ },
  'garbage in the stream': { reply: { text, garbage: true }, reason: /cannot be read|broke off/ },
  [SILENCE]: { reply: { text, hang: true }, reason: /silent|nothing/ },
  'half a tool call': { reply: { text, calls, truncate: 0.7 }, reason: /broke off/ },
  ...Object.fromEntries(
    [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9].map((share) => [`cut at ${share}`, cut(share)]),
  ),
}

// A hundred and more sessions wait out their real pauses side by side: on a busy machine that is more than a minute.
const PATIENCE_S = 240

test('after every failure of every vendor the session says why it stopped, and goes on when the server heals', {
  timeout: PATIENCE_S * 1000,
}, async () => {
  const vendor = await startVendor()
  let healed = false
  const all = protocols.flatMap((protocol) =>
    Object.entries(cases).map(([name, made]) => ({ protocol, name, ...made })),
  )
  for (const [at, { reply }] of all.entries()) {
    vendor.script(() => (healed ? { text: 'Here again.' } : reply), { model: `m${at}` })
  }
  // A provider each: what one account meets is not the others' trouble.
  const providers = Object.fromEntries(
    all.map(({ protocol, name }, at) => [
      `p${at}`,
      providerAt(vendor, protocol, { outageSeconds: 3, ...(name === SILENCE ? { idleSeconds: 0.5 } : {}) }),
    ]),
  )
  const world = await createWorld({ settings: { providers }, env: { LAB_KEY: 'good-key-0123456789' } })

  const failed = await Promise.all(
    all.map(async ({ protocol, name, reason }, at) => {
      const session = await world.session({ model: `p${at}/m${at}` })
      const reply = await world.say(session.id, 'hello', { wait: PATIENCE_S })
      const seen = { protocol, name, end: reply.end, reason: reply.reason, status: await statusOf(world, session.id) }
      expect(seen).toEqual({ protocol, name, end: 'error', reason: expect.stringMatching(reason), status: 'error' })
      expect(seen).toMatchObject({ reason: expect.stringMatching(NEXT) })
      return { id: session.id, name }
    }),
  )

  healed = true
  // What a vendor asked for holds: those accounts are still shut.
  const open = failed.filter(({ name }) => name !== SHUT)
  const replies = await Promise.all(open.map(({ id }) => world.say(id, 'and now?', { wait: PATIENCE_S })))
  expect(replies.map(({ end, reply }) => [end, reply])).toEqual(open.map(() => ['done', 'Here again.']))
  expect(vendor.rejections).toEqual([])
  await vendor.close()
})

const statusOf = async (world: World, id: string): Promise<string> =>
  (await world.request<Session>('GET', `/api/sessions/${id}`)).body.status

test('a request that may pass is made again after what the vendor asks for, and the turn goes on', async () => {
  const world = await createWorld()
  world.vendor.reply(
    { error: { kind: 'rate-limit', retryAfter: 1 } },
    { error: { kind: 'server' } },
    { text: 'There.' },
  )
  const session = await world.session()
  expect(await world.say(session.id, 'hello')).toMatchObject({ end: 'done', reply: 'There.' })
  const retried = (await world.events(session.id)).filter(({ type }) => type === 'model.retried')
  expect(retried.map(({ data }) => data.reason)).toEqual([
    expect.stringMatching(/It asks us to wait 1 s\.$/),
    expect.stringMatching(/internal error/),
  ])
})
