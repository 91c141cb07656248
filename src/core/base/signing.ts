import { createHmac } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeAtomic } from '../../lib/files/files.ts'
import { hex } from '../../lib/ids.ts'
import type { Core } from './core.ts'

/** `webhook.key` is given to receivers by the person; `answer.key` is known to nobody but this server. */
type KeyName = 'webhook.key' | 'answer.key'

export const hmac = (core: Pick<Core, 'home'>, name: KeyName, text: string): string =>
  createHmac('sha256', keyOf(core, name)).update(text).digest('hex')

/** The header by which a receiver knows that a body comes from this data folder, and when it was sent. */
export function signatureOf(core: Pick<Core, 'home' | 'clock'>, body: string): string {
  const seconds = Math.floor(core.clock.now() / 1000)
  return `t=${seconds},v1=${hmac(core, 'webhook.key', `${seconds}.${body}`)}`
}

/** One key of each kind for the data folder, made when it is first needed. */
function keyOf({ home }: Pick<Core, 'home'>, name: KeyName): string {
  const file = join(home, name)
  if (!existsSync(file)) writeAtomic(file, `${hex(32)}\n`, 0o600)
  return readFileSync(file, 'utf8').trim()
}
