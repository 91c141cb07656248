import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { textOf } from '../../contract/messages.ts'
import { RecordingLine } from '../../contract/recordings.ts'
import { newId } from '../../lib/ids.ts'
import { troupe } from '../called.ts'
import { action, type Cli } from '../cli.ts'
import { connect } from '../connect.ts'
import { type Exit, exits, Failure, usage } from '../failure.ts'
import { note, paint, say, tell } from '../print.ts'
import { awaitReply } from './send.ts'

interface ReplayOptions {
  agent?: string
}

const WAIT_SECONDS = 600

export default function define(command: Command): void {
  command
    .argument('<file>', 'what --record or "export --format recording" wrote')
    .option('--agent <name>', 'another agent in the place of the one that was recorded')
    .addHelpText('after', '\nExit codes: 0 all went as recorded, 1 it differs, 2 the file is no recording.')
    .action(action(replay))
}

/** Says again what the person said, one message after the other, to an agent whose answers come from the file. */
async function replay(cli: Cli, given: string, options: ReplayOptions): Promise<Exit> {
  const file = resolve(given)
  const { agent, said, answers } = readRecording(file)
  const client = await connect(cli)
  const body = { agent: options.agent ?? agent, model: `replay/${file}` }
  const { id, handle } = await client.call('POST /api/sessions', { body })
  for (const content of said) {
    const mail = { to: id, content, clientId: newId('cli') }
    const reply = await awaitReply(client, mail, WAIT_SECONDS)
    if (reply.ended && reply.end === 'done') continue
    const why =
      reply.reason ?? (reply.waits?.length ? 'It waits for a person.' : `It took longer than ${WAIT_SECONDS} s.`)
    throw new Failure(exits.failed, why, {
      code: 'replay.differs',
      hint: `"${troupe} sessions messages ${handle}" shows how far it went.`,
    })
  }
  const messages = await client.all('GET /api/sessions/{ref}/messages', { params: { ref: id } })
  const played = messages.filter(({ role }) => role === 'assistant').length
  if (played < answers) note(`It ended sooner than the recording: ${played} of ${answers} answers were played.`)
  tell(cli, { session: id, messages: said.length, played, answers }, () =>
    say(
      `${paint('green', '✓')} ${many(said.length, 'message')} and ${many(played, 'answer')} went as recorded (session ${handle})`,
    ),
  )
  return exits.ok
}

/** Who was talked to, what the person said, and how many answers there were. */
function readRecording(file: string): { agent: string; said: string[]; answers: number } {
  if (/[\s#]/.test(file)) throw usage(`The path ${file} has a space or a "#" in it.`, 'Copy the file to another place.')
  const lines = textIn(file).split('\n').flatMap(lineIn)
  const root = lines.find((line) => line.type === 'session')
  if (root?.type !== 'session')
    throw usage(`${file} is no recording.`, `"${troupe} send <to> <text> --wait --record <file>" makes one.`)
  const messages = lines.filter((line) => line.type === 'message' && line.session === root.session)
  return {
    agent: root.agent,
    said: messages.flatMap((line) =>
      line.type === 'message' && line.from?.kind === 'human' ? [textOf(line.parts)] : [],
    ),
    answers: messages.filter((line) => line.type === 'message' && line.role === 'assistant').length,
  }
}

function textIn(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw usage(`${file} cannot be read: ${(error as Error).message}`)
  }
}

/** The server says what is wrong with a line; here it is enough to find what a person said. */
function lineIn(text: string): RecordingLine[] {
  try {
    return [RecordingLine.parse(JSON.parse(text))]
  } catch {
    return []
  }
}

const many = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
