import { z } from 'zod'
import { Part, Role } from './messages.ts'

/** What the first line of a recording says. */
const Head = z.strictObject({ type: z.literal('recording'), version: z.literal(1), recordedAt: z.iso.datetime() })

/** A session of the recording. The first is the conversation itself; the others were made or asked by a call of another. */
const RecordedSession = z.strictObject({
  type: z.literal('session'),
  /** Its number in the file, from 0. */
  session: z.int().min(0),
  agent: z.string(),
  /** Whose calls made it or wrote to it first, and which: `seq.position` of the message and of the call in it. */
  by: z.strictObject({ session: z.int().min(0), calls: z.array(z.string()) }).optional(),
})
export type RecordedSession = z.infer<typeof RecordedSession>

/** A message of a session's log, as far as a conversation consists of it. */
const RecordedMessage = z.strictObject({
  type: z.literal('message'),
  session: z.int().min(0),
  seq: z.int().positive(),
  role: Role,
  parts: z.array(Part),
  from: z
    .strictObject({ kind: z.enum(['human', 'agent', 'trigger', 'system']), agent: z.string().optional() })
    .optional(),
})
export type RecordedMessage = z.infer<typeof RecordedMessage>

export const RecordingLine = z.discriminatedUnion('type', [Head, RecordedSession, RecordedMessage])
export type RecordingLine = z.infer<typeof RecordingLine>

/**
 * What a model that plays a recording is called: `replay/<file or name>`. For a session that a replayed one made, `#` follows,
 * the session with which the replay began, and the calls that led from there.
 */
const PROVIDER = 'replay/'
const BEGUN = '#'

export const isReplay = (model: string | null | undefined): boolean => model?.startsWith(PROVIDER) ?? false

/** The recording that a model plays, without the place in it. */
export const recordingIn = (model: string): string => model.slice(PROVIDER.length).split(BEGUN)[0] ?? ''

/** The calls that led from the conversation to the session, outermost first. */
export const callsIn = (model: string): string[] => (model.split(BEGUN)[1] ?? '').split('/').slice(1)

/** The model of a session that this call of a replayed session makes. */
export const replayBelow = (model: string, sessionId: string, call: string): string =>
  `${PROVIDER}${recordingIn(model)}${BEGUN}${[begunBy(model) ?? sessionId, ...callsIn(model), call].join('/')}`

/** The session with which the replay began; undefined for that session itself. */
export const begunBy = (model: string): string | undefined => model.split(BEGUN)[1]?.split('/')[0]

/** How a call is named in a recording. */
export const callName = (seq: number, position: number): string => `${seq}.${position}`
