import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { startServer } from '../../src/app.ts'
import { PAGE, type Question } from './job.ts'
import { bareFile } from './load.ts'

/** Serves pages of the history: the process says its address as JSON and stays until it is stopped. */
const question = JSON.parse(process.argv[2] ?? '{}') as Question
const { folder, sessionId } = question
if (question.variant === 'ours') {
  const { url, token, stop } = await startServer({
    home: join(folder, 'home'),
    project: join(folder, 'project'),
    env: { HOME: folder },
    port: 0,
  })
  process.once('SIGTERM', () => void stop())
  say({ url: `${url}/api/sessions/${sessionId}/messages?limit=${PAGE}`, token })
} else {
  const db = new DatabaseSync(bareFile(folder), { readOnly: true })
  const page = db.prepare('select id as seq, role, body from messages where id > ? order by id limit ?')
  const server = createServer((_request, response) => {
    const rows = page.all(0, PAGE) as { seq: number; role: string; body: string }[]
    const items = rows.map(({ seq, role, body }) => ({ seq, role, parts: JSON.parse(body) }))
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ items }))
  })
  process.once('SIGTERM', () => process.exit())
  server.listen(0, '127.0.0.1', () => {
    say({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, token: '' })
  })
}

function say(where: { url: string; token: string }): void {
  process.stdout.write(`${JSON.stringify(where)}\n`)
}
