import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { stores } from '../kit/database.ts'
import { eventually } from '../kit/processes.ts'
import type { Client } from './client.ts'
import { BESIDE, crashAt, dealt, nameOf, once, type Play, recordPoints } from './crash.ts'
import type { Life } from './life.ts'
import type { FaultPlace } from './place.ts'
import { linesOf } from './scenario.ts'

interface Hooked {
  readonly lines: readonly string[]
  /** What the hooks were told, run by run. */
  readonly told: readonly {
    readonly event: string
    readonly key: string
    readonly tool?: { readonly input: unknown }
  }[]
}

/** Each leaves what it was told. The one before a tool changes the line that the command writes. */
const keep = { command: 'cat >> told.txt', timeoutSeconds: 20 }
const change = `tee -a told.txt | jq -c '{input: (.tool.input | .command |= sub("plain"; "changed"))}'`
const settings = {
  hooks: {
    sessionStart: [keep],
    beforeTool: [{ ...keep, command: change }],
    afterTool: [keep],
    // One that a dead server has begun is waited for until its time is over.
    turnEnd: [{ ...keep, timeoutSeconds: 3 }],
  },
}

async function run(place: FaultPlace, life: Life, client: Client, number: number): Promise<Hooked> {
  const word = `hooks#${number}#`
  const file = `lines-${number}.txt`
  const steps = [{ calls: [{ name: 'bash', input: { command: `echo plain >> ${file}` } }] }, { text: 'Done.' }]
  const said = (messages: readonly { role: string }[]) => messages.filter(({ role }) => role === 'assistant').length
  place.vendor.script(({ messages }) => steps[Math.min(said(messages), 1)]!, { word })
  const session = await client.open(`session ${number}`)
  const { mailId } = await client.send(session, `mail ${number}`, `Work ${word}`)
  await client.settled(mailId)
  const told = () =>
    linesOf(join(place.project, 'told.txt'))
      .map((line) => JSON.parse(line))
      .filter((one) => one.session.id === session)
  const path = `/api/events?session=${session}&types=hook.ended&limit=100`
  const look = async () => {
    const { body } = await client.request<{ items: { data: { event: string } }[] }>('GET', path)
    return body.items.some(({ data }) => data.event === 'turnEnd') || undefined
  }
  await Promise.race([life.broken, eventually(look, 60, 100)])
  return { lines: linesOf(join(place.project, file)), told: told() }
}

/** The call ran once, with the input that its hook left; each hook ran at least once, and always with the same key. */
function verdict({ lines, told }: Hooked): string[] {
  const found: string[] = []
  if (lines.join() !== 'changed') found.push(`the command left: ${lines.join() || 'nothing'}`)
  for (const event of Object.keys(settings.hooks)) {
    const keys = new Set(told.filter((one) => one.event === event).map(({ key }) => key))
    if (keys.size !== 1) found.push(`${event} was told under ${keys.size} keys`)
  }
  return found
}

const hooked: Play<Hooked> = { settings, run, verdict }

const cases = await Promise.all(
  stores.map(async (store) => {
    const points = await recordPoints(hooked, store)
    return {
      store,
      points,
      chosen: once(
        points.filter((point) => /^(hook|end-hook|tool\.keep)\./.test(point)),
        store,
        BESIDE,
      ),
    }
  }),
)

vi.setConfig({ maxConcurrency: 4 })

describe.concurrent.for(cases)('a crash while hooks run, on $store', ({ store, chosen }) => {
  test.for(dealt(chosen, 2))(
    'at %s and more runs no call without its verdict or twice, and loses no end',
    { timeout: 600_000 },
    async (some) => {
      expect(await crashAt(hooked, store, some)).toEqual([])
    },
  )
})

test('every boundary of hooks was crossed', () => {
  const crossed = new Set(cases[0]!.points.map(nameOf))
  const wanted = ['end-hook.settle', 'end-hook.try', 'tool.keep'].flatMap((name) => [
    `${name}.before-commit`,
    `${name}.after-commit`,
  ])
  expect([...wanted, 'hook.heard', 'hook.ran'].filter((name) => !crossed.has(name))).toEqual([])
})
