import type { Transport } from '../../../src/client/transport.ts'

/** What is less apart is the way between them and the second to which a server tells the time. */
const APART_MS = 5000
/** An answer that took longer says too little about when it was given. */
const QUICK_MS = 2000

let ahead = 0

/** What the time is where everything happens: the clock of this browser, put right where the server's is another. */
export const now = (): number => Date.now() + ahead

/** Learns the server's time from what it answers. */
export const timed = (transport: Transport): Transport => ({
  ...transport,
  async send(path, request) {
    const asked = performance.now()
    const answer = await transport.send(path, request)
    const told = Date.parse(answer.headers.get('date') ?? '')
    if (performance.now() - asked < QUICK_MS && !Number.isNaN(told)) {
      const apart = told - Date.now()
      ahead = Math.abs(apart) < APART_MS ? 0 : apart
    }
    return answer
  },
})
