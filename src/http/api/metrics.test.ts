import { describe, expect, test } from 'vitest'
import { stores } from '../../../test/kit/database.ts'
import { dollar, parts, price } from '../../../test/kit/script.ts'
import { createWorld } from '../../../test/kit/world.ts'

/** Every line that is no comment, as `name{labels}` and its value. */
const read = (text: string): Map<string, number> =>
  new Map(
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => {
        const [, name, value] = /^([a-z_]+(?:\{[^}]*\})?) (\S+)$/.exec(line)!
        return [name!, Number(value)]
      }),
  )

describe.each(stores)('on %s', (store) => {
  test('/metrics says what there is and was, in the words of Prometheus, to whoever holds the token', async () => {
    const world = await createWorld({ store })
    price(world)
    parts(world, { hello: [{ text: 'Hi.', ...dollar }] })
    const { id } = await world.session()
    await world.session()
    await world.say(id, 'hello')
    await world.say(id, 'hello again')
    await world.ok('POST', `/api/sessions/${id}/pause`)
    await world.send(id, 'later')

    const answer = await world.request<string>('GET', '/metrics')
    expect(answer.headers.get('content-type')).toContain('text/plain; version=0.0.4')
    const values = read(answer.body)
    expect(Object.fromEntries(values)).toMatchObject({
      'troupe_sessions{status="idle"}': 1,
      'troupe_sessions{status="paused"}': 1,
      'troupe_sessions{status="running"}': 0,
      troupe_mail_waiting: 1,
      troupe_inbox_open: 0,
      troupe_turns_total: 2,
      troupe_turns_running: expect.any(Number),
      troupe_model_calls_total: 2,
      'troupe_tokens_total{model="lab/test-model",kind="input"}': 2_000_000,
      'troupe_cost_usd_total{model="lab/test-model"}': 2,
    })
    for (const quantile of ['0.5', '0.99', '1'])
      expect(values.get(`troupe_event_loop_lag_seconds{quantile="${quantile}"}`)).toBeGreaterThanOrEqual(0)
    // Each name has one description, in front of its values.
    const names = [...answer.body.matchAll(/^# TYPE (\w+) (gauge|counter)$/gm)].map(([, name]) => name)
    expect(new Set(names).size).toBe(names.length)
    for (const name of values.keys()) expect(names).toContain(name.replace(/\{.*/, ''))

    expect((await fetch(`${world.server.url}/metrics`)).status).toBe(401)
    const asSession = { authorization: `Bearer ${world.server.core.tokenOf(id)}` }
    expect((await fetch(`${world.server.url}/metrics`, { headers: asSession })).status).toBe(403)
  })
})
