import { createInterface } from 'node:readline'
import type { Reply } from '../../src/contract/api.ts'

/** `node client-process.ts <url> <token>`: for each line with a session and words, a request that waits for the answer. */
const [url = '', token = ''] = process.argv.slice(2)
process.stdout.write('ready\n')
for await (const line of createInterface({ input: process.stdin })) void say(JSON.parse(line))

async function say({ sessionId, content }: { sessionId: string; content: string }): Promise<void> {
  const error = await post(sessionId, content).catch(String)
  process.stdout.write(`${JSON.stringify({ sessionId, error })}\n`)
}

/** What went wrong, if something did. */
async function post(sessionId: string, content: string): Promise<string | undefined> {
  const response = await fetch(`${url}/api/sessions/${sessionId}/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ content, wait: 120 }),
  })
  const reply = (await response.json()) as Reply
  return reply.end === 'done' ? undefined : `${response.status} ${JSON.stringify(reply)}`
}
