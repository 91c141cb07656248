import { lstatSync, readFileSync } from 'node:fs'

/**
 * The Unix sockets on which something listens by name: key agents, container engines and the like speak for the person
 * to whoever connects. Those bound under a relative name are not found.
 */
export function listeningSockets(): string[] {
  const names = textOf('/proc/net/unix')
    .split('\n')
    .flatMap((line) => /^(?:\S+\s+){7}(\/.*)$/.exec(line)?.[1] ?? [])
  return [...new Set(names)].filter(isSocket)
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function isSocket(path: string): boolean {
  try {
    return lstatSync(path).isSocket()
  } catch {
    return false
  }
}
