/**
 * Named crash points. `TROUPE_CRASH_AT=name:n` makes the process kill itself the n-th time it passes that name, so a
 * test can stop it between any two steps. Without the variable a point costs one comparison.
 */
let armed: { name: string; left: number } | undefined
const passed = new Map<string, number>()
let recording = false

export function armCrash(spec: string | undefined, record = false): void {
  recording = record
  if (!spec) return
  const [name = '', count = '1'] = spec.split(':')
  armed = { name, left: Number(count) }
}

export function crashPoint(name: string): void {
  if (armed === undefined && !recording) return
  if (recording) passed.set(name, (passed.get(name) ?? 0) + 1)
  if (armed?.name !== name) return
  armed.left -= 1
  if (armed.left === 0) process.kill(process.pid, 'SIGKILL')
}

export const passedCrashPoints = (): Record<string, number> => Object.fromEntries(passed)
