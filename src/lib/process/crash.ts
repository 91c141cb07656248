import { appendFileSync } from 'node:fs'

/**
 * Named crash points. `TROUPE_CRASH_AT=name:n` makes the process kill itself the n-th time it passes that name, so a
 * test can stop it between any two steps. With `a:1,b:2` the count for b begins when a has been passed once.
 * `TROUPE_CRASH_RECORD=file` writes down every name passed. Without these variables a point costs one comparison.
 */
let armed: { readonly name: string; left: number }[] = []
let record: string | undefined
let watched = false

export function armCrash(at: string | undefined, recordFile?: string): void {
  record = recordFile
  armed = (at ?? '').split(',').filter(Boolean).map(parsePoint)
  watched = record !== undefined || armed.length > 0
}

export function crashPoint(name: string): void {
  if (!watched) return
  if (record !== undefined) appendFileSync(record, `${name}\n`)
  const next = armed[0]
  if (next?.name !== name) return
  next.left -= 1
  if (next.left > 0) return
  armed.shift()
  if (armed.length === 0) process.kill(process.pid, 'SIGKILL')
}

function parsePoint(point: string): { name: string; left: number } {
  const [name = '', count = '1'] = point.split(':')
  return { name, left: Number(count) }
}
