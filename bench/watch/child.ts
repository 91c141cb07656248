import { createInterface } from 'node:readline'
import { type Made, nowMicros } from './job.ts'

/** `node child.ts <variant> <folder>`: says where it listens. A number on its input makes that many events. */
const [variant, folder = ''] = process.argv.slice(2)
const made: Made =
  variant === 'ours'
    ? await (await import('./ours.ts')).openOurs(folder)
    : await (await import('./bare.ts')).openBare(folder)

let n = 0
process.stdout.write(`${JSON.stringify({ url: made.url, token: made.token })}\n`)
process.once('SIGTERM', () => void made.stop().then(() => process.exit()))
for await (const line of createInterface({ input: process.stdin })) {
  for (let left = Number(line); left > 0; left--) await made.make({ n: n++, madeAt: nowMicros() })
  if (line === 'cpu') process.stdout.write(`${process.cpuUsage().user + process.cpuUsage().system}\n`)
}
