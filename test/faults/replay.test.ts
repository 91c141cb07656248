import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Session } from '../../src/contract/sessions.ts'
import { putFile } from '../kit/files.ts'
import { spawn } from '../kit/script.ts'
import { createClient } from './client.ts'
import { startLife } from './life.ts'
import { type FaultPlace, inPlace } from './place.ts'

const write = { name: 'write_file', input: { path: 'a.txt', content: 'x' } }

/** A server that is killed when the helper has just been made, and the one that follows. */
const killedInTheMiddle = (place: FaultPlace) =>
  startLife(place, {
    env: (crashes) => ({ TROUPE_CRASH_AT: crashes === 0 ? 'task.spawn.after-commit:1' : 'none' }),
    limit: 1,
  })

test('kill -9 in the middle of a conversation and of its replay: the recording is whole, and it plays to its end', () =>
  inPlace('sqlite', async (place) => {
    place.vendor.script(({ messages }) => {
      if (messages.some(({ role, text }) => role === 'user' && text.includes('Dig here'))) return { text: 'Dug.' }
      const steps = [{ calls: [write, spawn('researcher', 'Dig here')] }, { text: 'All done.' }]
      return steps[messages.filter(({ role }) => role === 'assistant').length] ?? { text: 'Again?' }
    })
    const first = killedInTheMiddle(place)
    const client = createClient(first)
    const session = await client.open('talk', 'assistant')
    const { mailId } = await client.send(session, 'mail', 'Go on')
    expect(await client.settled(mailId)).toMatchObject({ end: 'done', reply: 'All done.' })
    expect(first.crashes).toBe(1)
    const { url, token } = await first.server()
    const headers = { authorization: `Bearer ${token}` }
    const recording = await fetch(`${url}/api/sessions/${session}/recording`, { headers })
    putFile(join(place.project, '.troupe', 'recordings', 'talk.jsonl'), await recording.text())
    await first.stop()

    rmSync(join(place.project, 'a.txt'))
    const asked = place.vendor.requests.length
    const second = killedInTheMiddle(place)
    const again = createClient(second)
    const given = { agent: 'assistant', model: 'replay/talk', clientId: 'replay' }
    const { id } = (await again.request<Session>('POST', '/api/sessions', given)).body
    const played = await again.send(id, 'mail again', 'Go on')
    expect(await again.settled(played.mailId)).toMatchObject({ end: 'done', reply: 'All done.' })
    expect(second.crashes).toBe(1)
    await second.stop()
    expect(place.vendor.requests).toHaveLength(asked)
    expect(existsSync(join(place.project, 'a.txt'))).toBe(false)
  }))
