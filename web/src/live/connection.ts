import { useSyncExternalStore } from 'react'
import { now } from './clock.ts'

/** Whether what the page shows is what is: `lost` while a stream is away, since when; `refused` when nobody is signed in. */
export interface Connection {
  readonly state: 'live' | 'lost' | 'refused'
  readonly since: number
}

let connection: Connection = { state: 'live', since: now() }
const away = new Set<string>()
const watchers = new Set<() => void>()

function become(state: Connection['state']): void {
  if (connection.state === state || connection.state === 'refused') return
  connection = { state, since: now() }
  for (const watcher of watchers) watcher()
}

/** A stream lost its connection. */
export function streamLost(key: string): void {
  away.add(key)
  become('lost')
}

/** A stream has it again, or is no longer wanted. */
export function streamBack(key: string): void {
  away.delete(key)
  if (away.size === 0) become('live')
}

/** The server knows nobody by this browser's token. */
export const signedOut = (): void => become('refused')

export const useConnection = (): Connection =>
  useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
    () => connection,
  )
