import { readFile, stat } from 'node:fs/promises'
import { isAbsolute, join, resolve } from 'node:path'
import {
  callsIn,
  type RecordedMessage,
  type RecordedSession,
  RecordingLine,
  recordingIn,
} from '../../../contract/recordings.ts'
import type { Project } from '../../../core/base/index.ts'
import { codeOf } from '../../../lib/files/files.ts'
import { depthOf, LEVELS } from '../../../lib/json.ts'

/** One session of a recording: who it is, and its log. */
export interface Tape {
  readonly agent: string
  readonly messages: readonly RecordedMessage[]
}

interface Recording {
  readonly sessions: readonly RecordedSession[]
  readonly messages: ReadonlyMap<number, readonly RecordedMessage[]>
}

/** Why a recording cannot be played, in a sentence. */
export class Unplayable extends Error {}

const FILE_BYTES = 64 * 1024 * 1024
const KEPT = 8
/** What stands around an input or a result in a line. */
const AROUND = 4

/** Reads recordings; one that has not changed is read once. */
export function createShelf(home: string | undefined) {
  const kept = new Map<string, { readonly stamp: string; readonly recording: Recording }>()

  async function load(project: Project, name: string): Promise<Recording> {
    const places = placesOf(home, project, name)
    for (const file of places) {
      const stats = await stat(file).catch(() => undefined)
      if (!stats?.isFile()) continue
      const stamp = `${stats.mtimeMs} ${stats.size}`
      const known = kept.get(file)
      if (known?.stamp === stamp) return known.recording
      if (stats.size > FILE_BYTES) throw new Unplayable(`${file} is larger than ${FILE_BYTES / 1024 / 1024} MB.`)
      const recording = parse(await read(file), file)
      kept.delete(file)
      kept.set(file, { stamp, recording })
      if (kept.size > KEPT) kept.delete(kept.keys().next().value ?? file)
      return recording
    }
    throw new Unplayable(
      `There is no recording "${name}": ${places.join(' and ')} ${places.length > 1 ? 'are' : 'is'} not there.`,
    )
  }

  return {
    /** The log that a model such as `replay/a.jsonl#3.0` has to follow. */
    async tape(project: Project, model: string): Promise<Tape> {
      const recording = await load(project, recordingIn(model))
      const found = sessionAt(recording, callsIn(model))
      if (found === undefined)
        throw new Unplayable(`The recording has no session that was made by the call ${callsIn(model).join(' → ')}.`)
      return { agent: found.agent, messages: recording.messages.get(found.session) ?? [] }
    },
  }
}

/** A path or a name with the ending of a recording is a file of the project; any other name is looked for where recordings are kept. */
function placesOf(home: string | undefined, project: Project, name: string): string[] {
  if (name.endsWith('.jsonl') || isAbsolute(name)) return [resolve(project.path, name)]
  const file = join('recordings', `${name}.jsonl`)
  return [join(project.path, '.troupe', file), ...(home === undefined ? [] : [join(home, file)])]
}

/** From the conversation down, call by call. */
function sessionAt({ sessions }: Recording, calls: readonly string[]): RecordedSession | undefined {
  let at = sessions.find(({ by }) => by === undefined)
  for (const call of calls) {
    const maker = at?.session
    at = sessions.find(({ by }) => by !== undefined && by.session === maker && by.calls.includes(call))
  }
  return at
}

async function read(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw new Unplayable(`${file} cannot be read (${codeOf(error)}).`)
  }
}

function parse(text: string, file: string): Recording {
  const sessions: RecordedSession[] = []
  const messages = new Map<number, RecordedMessage[]>()
  const rows = text.split('\n')
  for (const [at, row] of rows.entries()) {
    if (row.trim() === '') continue
    const line = lineIn(row)
    // A last line that has no end was cut off while it was written.
    if (line === undefined && at === rows.length - 1) break
    if (line === undefined) throw new Unplayable(`${file} is no recording: line ${at + 1} cannot be read.`)
    if (line.type === 'session') sessions.push(line)
    else if (line.type === 'message') {
      const log = messages.get(line.session) ?? []
      log.push(line)
      messages.set(line.session, log)
    }
  }
  if (sessions.length === 0) throw new Unplayable(`${file} is no recording: it has no session.`)
  return { sessions, messages }
}

function lineIn(row: string): RecordingLine | undefined {
  if (depthOf(row) > LEVELS + AROUND) return undefined
  try {
    return RecordingLine.parse(JSON.parse(row))
  } catch {
    return undefined
  }
}
