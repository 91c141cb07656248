import { spawnSync } from 'node:child_process'
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

/** Every process of a call carries this variable, so that we find the process even when its guard was killed. */
export const MARK = 'TROUPE_CALL'

interface ChildRecord {
  readonly pid: number
  /** Tells a process from a later one with the same number. */
  readonly startTime: string
  readonly mark: string
}

const LINES_LIMIT = 1000
const POLITE_MS = 3000
const ROUND_MS = 50

const alive = new Map<number, ChildRecord>()
let recordFile: string | undefined
let lines = 0

/** From here on every child is written down in this file until it has ended. */
export function recordChildren(file: string): void {
  recordFile = file
  rewrite()
}

export function childStarted(pid: number, mark: string): void {
  const record = { pid, startTime: startTimeOf(pid) ?? '', mark }
  alive.set(pid, record)
  const file = recordFile
  if (file === undefined) return
  unlessGone(() => appendFileSync(file, `${JSON.stringify(record)}\n`, { mode: 0o600 }))
  lines += 1
}

export function childEnded(pid: number): void {
  alive.delete(pid)
  if (alive.size === 0 || lines > LINES_LIMIT) rewrite()
}

/**
 * Ends what an earlier server left: the children recorded in the file, and whatever carries their mark. It does not
 * touch a stranger that got the pid of a child since. Returns how many processes it ended.
 */
export async function sweepLeftovers(file: string): Promise<number> {
  let ended = 0
  for (const record of readRecords(file)) {
    if (isSame(record)) {
      ended += 1
      // The child is a guard: when it is asked to end, it ends its tree first.
      send(record.pid, 'SIGTERM')
      for (let waited = 0; isSame(record) && waited < POLITE_MS; waited += ROUND_MS) await pause(ROUND_MS)
      if (isSame(record)) send(record.pid, 'SIGKILL')
    }
    ended += await endMarked(record.mark)
  }
  writeFileSync(file, '', { mode: 0o600 })
  return ended
}

/** Kills every process that carries this mark, in rounds, as one may fork while we look. Linux only. */
export async function endMarked(mark: string): Promise<number> {
  const ended = new Set<number>()
  for (let round = 0; round < 20; round += 1) {
    const found = marked(mark)
    if (found.length === 0) break
    for (const pid of found) {
      ended.add(pid)
      // Killing the whole group at once catches what forks fast; nothing but this call can be in the group.
      const group = groupOf(pid)
      if (group !== undefined) send(-group, 'SIGKILL')
      send(pid, 'SIGKILL')
    }
    await pause(ROUND_MS)
  }
  return ended.size
}

/** Undefined when there is no such process. */
export function startTimeOf(pid: number): string | undefined {
  if (process.platform !== 'linux')
    return spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).stdout?.trim() || undefined
  const stat = statOf(pid)
  // Field 19 counts ticks since boot, so the boot id makes it unique.
  return stat === undefined || stat[0] === 'Z' ? undefined : `${bootId()}:${stat[19]}`
}

function rewrite(): void {
  const file = recordFile
  if (file === undefined) return
  const records = [...alive.values()]
  const text = records.map((record) => `${JSON.stringify(record)}\n`).join('')
  unlessGone(() => writeFileSync(file, text, { mode: 0o600 }))
  lines = records.length
}

/** Where the data folder is gone, no later server looks for what was left. */
function unlessGone(write: () => void): void {
  try {
    write()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

function readRecords(file: string): ChildRecord[] {
  try {
    return readFileSync(file, 'utf8').split('\n').flatMap(parseRecord)
  } catch {
    return []
  }
}

/** The last line may have been cut short by a crash. */
function parseRecord(line: string): ChildRecord[] {
  try {
    const { pid, startTime, mark } = JSON.parse(line) as Partial<ChildRecord>
    if (!Number.isInteger(pid) || pid! <= 1 || !startTime || !/^[0-9a-f]{32}$/.test(mark ?? '')) return []
    return [{ pid: pid!, startTime, mark: mark! }]
  } catch {
    return []
  }
}

const isSame = (record: ChildRecord): boolean => startTimeOf(record.pid) === record.startTime

function marked(mark: string): number[] {
  const entry = `${MARK}=${mark}`
  return processes().filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(entry)
    } catch {
      return false
    }
  })
}

function processes(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger)
  } catch {
    return []
  }
}

const groupOf = (pid: number): number | undefined => {
  const group = Number(statOf(pid)?.[2])
  return group > 1 && group !== ownGroup() ? group : undefined
}

const ownGroup = (): number => Number(statOf(process.pid)?.[2])

/** The fields after the name, which itself may hold spaces and brackets: state, parent, group, … */
function statOf(pid: number): string[] | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\)\s/s, '')
      .split(' ')
  } catch {
    return undefined
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It ended in the meantime.
  }
}

const bootId = (): string => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
