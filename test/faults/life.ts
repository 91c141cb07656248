import type { FaultPlace } from './place.ts'
import type { Address, Exit, Launched } from './server.ts'

/** One server after another in the same place: when one is killed the next is started, as a supervisor would. */
export interface Life {
  /** The server that lives now. */
  server(): Promise<Address>
  /** Settles when the server with this pid is gone. */
  gone(pid: number): Promise<unknown>
  /** Rejects when servers end in a way that is no fault of ours; race with it whatever waits without asking. */
  readonly broken: Promise<never>
  /** How many were killed so far. */
  readonly crashes: number
  /** Kills the one that lives now, or asks it to end; the next is started by itself. */
  kill(how?: 'SIGKILL' | 'SIGTERM'): Promise<void>
  /** Sends it a signal that it survives. */
  signal(signal: NodeJS.Signals): void
  /** Asks it to end, and starts no other. */
  stop(): Promise<Exit>
}

interface LifeOptions {
  /** What is added to the environment of the server that follows so many crashes. */
  readonly env?: (crashes: number) => Record<string, string>
  /** More than this many deaths is a loop, not a fault. */
  readonly limit?: number
  /** Done after each death, before the next one is started. */
  readonly onDeath?: (crashes: number) => Promise<void>
}

export function startLife(
  place: FaultPlace,
  { env = () => ({}), limit = 10, onDeath = async () => {} }: LifeOptions = {},
): Life {
  let current: Launched
  let crashes = 0
  let dead = false
  let stopping = false
  let asked = false
  let following = Promise.resolve()
  const broken = Promise.withResolvers<never>()
  broken.promise.catch(() => {})
  const next = (): void => {
    const launched = place.launch(env(crashes))
    current = launched
    dead = false
    asked = false
    void launched.exited.then((exit) => {
      if (stopping) return
      crashes += 1
      dead = true
      if (exit.signal !== 'SIGKILL' && !(asked && exit.code === 0))
        broken.reject(new Error(`The server ended by itself (code ${exit.code}): ${exit.stderr}`))
      else if (crashes > limit) broken.reject(new Error(`The server was killed ${crashes} times.`))
      else following = onDeath(crashes).then(next).catch(broken.reject)
    })
  }
  next()

  return {
    async server() {
      for (;;) {
        const launched = current
        const address = await launched.ready
        if (address !== undefined && launched === current && !dead) return address
        await launched.exited
        // Now the next one is there, or there will be none.
        await following
        if (launched === current) return broken.promise
      }
    },
    gone: (pid) => (current.pid === pid ? current.exited : Promise.resolve()),
    broken: broken.promise,
    get crashes() {
      return crashes
    },
    async kill(how = 'SIGKILL') {
      const launched = current
      asked = how === 'SIGTERM'
      launched.signal(how)
      await launched.exited
    },
    signal: (signal) => current.signal(signal),
    async stop() {
      await this.server()
      stopping = true
      current.signal('SIGTERM')
      return current.exited
    },
  }
}
