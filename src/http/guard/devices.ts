import { chmodSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { Device } from '../../contract/devices.ts'
import { AppError } from '../../contract/errors.ts'
import { type Clock, iso } from '../../lib/clock.ts'
import { writeAtomic } from '../../lib/files/files.ts'
import { hex, newId } from '../../lib/ids.ts'
import { digest, sameDigest } from './secrets.ts'

const Stored = z.strictObject({ ...Device.shape, hash: z.string().regex(/^[0-9a-f]{64}$/) })
const DevicesFile = z.strictObject({ devices: z.array(Stored) })

export interface Devices {
  list(): Device[]
  /** The token is shown this once; only its hash is kept. */
  add(name: string): { token: string; device: Device }
  /** The device whose token has this digest. */
  find(given: Buffer): string | undefined
  /** While the returned function was not called, `end` is called once the device is removed; at once if it was already. */
  attend(id: string, end: () => void): () => void
  /** Whatever the device has open is ended with it. */
  remove(id: string): void
}

const DEVICES = 100

/** `<home>/devices.json`, readable by the owner only. */
export function openDevices(home: string, clock: Clock): Devices {
  const file = join(home, 'devices.json')
  let devices = load(file)
  const open = new Map<string, Set<() => void>>()

  const save = (next: typeof devices): void => {
    writeAtomic(file, `${JSON.stringify({ devices: next }, null, 2)}\n`, 0o600)
    devices = next
  }

  return {
    list: () => devices.map(({ hash: _secret, ...device }) => device),
    add(name) {
      if (devices.length >= DEVICES) throw tooMany()
      const token = hex(32)
      const device = { id: newId('device'), name, createdAt: iso(clock.now()) }
      save([...devices, { ...device, hash: digest(token).toString('hex') }])
      return { token, device }
    },
    find(given) {
      let found: string | undefined
      // Every hash is compared, so the time says nothing about which one was near.
      for (const device of devices) if (sameDigest(Buffer.from(device.hash, 'hex'), given)) found = device.id
      return found
    },
    attend(id, end) {
      if (!devices.some((device) => device.id === id)) {
        end()
        return () => {}
      }
      const ends = open.get(id) ?? new Set()
      open.set(id, ends.add(end))
      return () => {
        ends.delete(end)
        if (ends.size === 0) open.delete(id)
      }
    },
    remove(id) {
      if (!devices.some((device) => device.id === id)) throw notFound(id)
      save(devices.filter((device) => device.id !== id))
      for (const end of open.get(id) ?? []) end()
      open.delete(id)
    },
  }
}

function load(file: string): z.infer<typeof DevicesFile>['devices'] {
  if (!existsSync(file)) return []
  chmodSync(file, 0o600)
  try {
    return DevicesFile.parse(JSON.parse(readFileSync(file, 'utf8'))).devices
  } catch (cause) {
    throw new AppError('settings.invalid', `The file ${file} cannot be read as a list of devices.`, {
      hint: 'Delete it; every device then needs a new login link.',
      cause,
    })
  }
}

const notFound = (id: string): AppError =>
  new AppError('device.not_found', `There is no device "${id.slice(0, 100)}".`, {
    hint: '"troupe devices" lists them.',
  })

const tooMany = (): AppError =>
  new AppError('device.too_many', `There are ${DEVICES} devices already.`, {
    hint: 'Take one away with "troupe devices revoke <device>".',
  })
