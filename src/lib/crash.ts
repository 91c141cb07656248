import { appendFileSync } from 'node:fs'

/**
 * Named crash points. `TROUPE_CRASH_AT=name:n` makes the process kill itself the n-th time it passes that name, so a
 * test can stop it between any two steps; `TROUPE_CRASH_RECORD=file` writes down every name passed. Without them a
 * point costs one comparison.
 */
let armed: { name: string; left: number } | undefined
let record: string | undefined

export function armCrash(at: string | undefined, recordFile?: string): void {
  record = recordFile
  const [name = '', count = '1'] = at?.split(':') ?? []
  armed = at === undefined ? undefined : { name, left: Number(count) }
}

export function crashPoint(name: string): void {
  if (armed === undefined && record === undefined) return
  if (record !== undefined) appendFileSync(record, `${name}\n`)
  if (armed?.name !== name) return
  armed.left -= 1
  if (armed.left === 0) process.kill(process.pid, 'SIGKILL')
}
