import { serve } from '../processes.ts'

export interface Client {
  /** Resolves when the turn is done and the answer has come. */
  say(sessionId: string, content: string): Promise<void>
  stop(): Promise<void>
}

/** The person's side in a process of its own, so that its requests count for no variant. */
export async function startClient({ url, token }: { url: string; token: string }): Promise<Client> {
  const client = await serve(new URL('./client-process.ts', import.meta.url).pathname, [url, token])
  const waiting = new Map<string, PromiseWithResolvers<void>>()
  let open = true
  void listen()

  async function listen(): Promise<void> {
    while (open) {
      const line = await client.next().catch(() => undefined)
      if (line === undefined) return
      const { sessionId, error } = JSON.parse(line) as { sessionId: string; error?: string }
      if (error === undefined) waiting.get(sessionId)?.resolve()
      else waiting.get(sessionId)?.reject(new Error(error))
      waiting.delete(sessionId)
    }
  }

  return {
    say(sessionId, content) {
      const done = Promise.withResolvers<void>()
      waiting.set(sessionId, done)
      client.tell(JSON.stringify({ sessionId, content }))
      return done.promise
    },
    stop() {
      open = false
      return client.stop()
    },
  }
}
