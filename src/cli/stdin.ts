import { MAIL_LIMIT } from '../contract/mail.ts'
import { usage } from './failure.ts'

/** Everything that is piped in. At a terminal nothing is read: the person would not know what the command waits for. */
export async function readAll(stream: NodeJS.ReadStream): Promise<string> {
  if (stream.isTTY) return ''
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAIL_LIMIT) {
      throw usage(
        `A message may have ${MAIL_LIMIT / 1024} KB at most.`,
        'Put it into a file of the project and send its name.',
      )
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8').trimEnd()
}
