/** What differs each time and means the same: ids, handles, times, and what something cost or took. */

const longId = /\b(?:task|mail|call|msg|turn|inbox|item)_[0-9a-z_]+\b|\b[0-9a-f]{32}\b/g
const time = /\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z\b/g
const handle = /(?<=\bsession )[0-9a-f]{4,32}\b/g
const idFields = new Set([
  'session',
  'handle',
  'sessionId',
  'taskId',
  'taskIds',
  'task',
  'mailId',
  'inboxId',
  'id',
  'parent',
])
const measured = /cost|tokens|duration|ms$|^at$|^since$/i

/** The value with a star for whatever is new each time. */
export function normal(value: unknown, field = ''): unknown {
  if (typeof value === 'string') return idFields.has(field) ? '*' : normalText(value)
  if (Array.isArray(value)) return value.map((one) => normal(one, field))
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([name, one]) => !(measured.test(name) && typeof one === 'number'))
  return Object.fromEntries(kept.map(([name, one]) => [name, normal(one, name)]))
}

const normalText = (text: string): string => text.replace(longId, '*').replace(time, '*').replace(handle, '*')

/** The ids in a value, in the order in which they stand there. */
export function idsIn(value: unknown, field = ''): string[] {
  if (typeof value === 'string') {
    if (idFields.has(field)) return [value]
    return [...value.matchAll(longId), ...value.matchAll(handle)].map(([id]) => id)
  }
  if (Array.isArray(value)) return value.flatMap((one) => idsIn(one, field))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, one]) => idsIn(one, name))
}

/** Puts the ids of now in the place of the recorded ones. A handle is short, so it has to be the whole text. */
export function idsOfNow<T>(value: T, ids: ReadonlyMap<string, string>): T {
  if (typeof value === 'string') {
    const whole = ids.get(value)
    return (whole ?? value.replace(longId, (id) => ids.get(id) ?? id)) as T
  }
  if (Array.isArray(value)) return value.map((one) => idsOfNow(one, ids)) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, idsOfNow(one, ids)])) as T
}
