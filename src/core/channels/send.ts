import type { Channel } from '../../contract/channels.ts'
import { guardedFetch } from '../../lib/net/guarded-fetch.ts'
import { FetchRefused } from '../../lib/net/guarded-target.ts'
import { sendMail } from '../../lib/net/smtp.ts'
import { type Core, signatureOf } from '../base/index.ts'
import { bodyFor, headline, mailBody, type ToldItem } from './formats.ts'

const limits = { redirects: 0, headersMs: 10_000, totalMs: 15_000 }

/** One try; undefined when it was taken, else why not. */
export function sendThrough(
  core: Core,
  channel: Channel,
  delivery: string,
  told: ToldItem,
): Promise<string | undefined> {
  return channel.type === 'email' ? mail(core, channel, delivery, told) : post(core, channel, delivery, told)
}

async function post(
  core: Core,
  channel: Extract<Channel, { type: 'webhook' }>,
  delivery: string,
  told: ToldItem,
): Promise<string | undefined> {
  const url = readValue(core, channel.url)
  if (url === undefined) return `${channel.url} is not set in the environment.`
  const body = JSON.stringify(bodyFor[channel.format ?? 'json'](told))
  try {
    const { status } = await guardedFetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'troupe',
        'troupe-delivery': delivery,
        'troupe-signature': signatureOf(core, body),
      },
      body,
      limits,
      headOnly: true,
      own: core.url(),
      ...(channel.private ? { allows: () => true } : {}),
    })
    return status >= 200 && status < 300 ? undefined : `It answered with ${status}.`
  } catch (error) {
    if (error instanceof FetchRefused) return error.message
    throw error
  }
}

async function mail(
  core: Core,
  channel: Extract<Channel, { type: 'email' }>,
  delivery: string,
  told: ToldItem,
): Promise<string | undefined> {
  const { host, secure = false, port = secure ? 465 : 587, user, from, to } = channel
  const password = channel.password === undefined ? undefined : readValue(core, channel.password)
  if (channel.password !== undefined && password === undefined)
    return `${channel.password} is not set in the environment.`
  return sendMail(
    { host, port, secure, ...(user !== undefined && { user, password: password ?? '' }) },
    { id: delivery, from, to: [to].flat(), subject: headline(told), text: mailBody(told) },
  )
}

/** "$NAME" reads the environment variable NAME. */
const readValue = ({ env }: Core, text: string): string | undefined =>
  text.startsWith('$') ? env[text.slice(1)] || undefined : text
