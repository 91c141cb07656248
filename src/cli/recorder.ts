import type { Client } from '../client/client.ts'
import { follow, type LiveStream } from '../client/live.ts'
import { writeAtomic } from '../lib/files/files.ts'
import { troupe } from './called.ts'
import type { Cli } from './cli.ts'
import { exits, Failure, failureOf } from './failure.ts'
import { note } from './print.ts'
import { whereabouts } from './server.ts'

/** Keeps a file with the recording of one conversation. */
interface Recorder {
  /** The first session that is entered is the one that is recorded. */
  enter(sessionId: string): void
  /** Writes what came last, and stops. */
  close(): Promise<void>
}

/** The server has every word already; the file is brought up to date whenever a turn ends. */
export function openRecorder(cli: Cli, client: Client, file: string): Recorder {
  let recorded: string | undefined
  let live: Promise<LiveStream | undefined> = Promise.resolve(undefined)
  return {
    enter(sessionId) {
      if (recorded !== undefined) return
      recorded = sessionId
      const event = () => saveRecording(client, sessionId, file)
      // The chat restarts a server that was killed; if this did so too, the two would race.
      const where = whereabouts({ ...cli, start: false })
      live = follow(client, { session: sessionId, types: ['turn.ended'] }, { event }, where).catch(() => undefined)
      live.then((stream) => stream?.ended).catch((thrown: unknown) => note(failureOf(thrown).message))
    },
    async close() {
      ;(await live)?.close()
      if (recorded !== undefined) await saveRecording(client, recorded, file)
    },
  }
}

/** The file is replaced as a whole, so it is a recording at every moment. */
export async function saveRecording(client: Client, session: string, file: string): Promise<void> {
  const text = await client.call('GET /api/sessions/{ref}/recording', { params: { ref: session } })
  try {
    writeAtomic(file, text, 0o600)
  } catch (cause) {
    throw new Failure(exits.failed, `The recording could not be written to ${file}: ${(cause as Error).message}`, {
      code: 'cli.not_written',
      hint: `Nothing of it is lost: ${troupe} export ${session} --format recording > <file>`,
    })
  }
}
