import { printable } from '../../lib/text.ts'

const KEPT_CHARS = 20_000
const SERVERS = 100

/** What servers print beside their answers: of each the newest, also when it has ended. */
export interface Logs {
  add(digest: string, text: string): void
  of(digest: string): string
}

export function createLogs(): Logs {
  const logs = new Map<string, string>()
  return {
    add(digest, text) {
      const all = `${logs.get(digest) ?? ''}${text.slice(-KEPT_CHARS)}`
      logs.delete(digest)
      logs.set(digest, all.length > 2 * KEPT_CHARS ? all.slice(-KEPT_CHARS) : all)
      if (logs.size > SERVERS) logs.delete(logs.keys().next().value ?? '')
    },
    of: (digest) => printable((logs.get(digest) ?? '').slice(-KEPT_CHARS)),
  }
}
