import type { HttpBindings } from '@hono/node-server'
import type { Core, Engine } from '../core/base/index.ts'
import type { ClientTools } from '../core/clients/index.ts'
import type { Auth, Caller } from './guard/auth.ts'
import type { Codes } from './guard/codes.ts'
import type { Devices } from './guard/devices.ts'
import type { SecurityLog } from './guard/security-log.ts'
import type { Clients } from './live/clients.ts'
import type { Feed } from './live/feed.ts'

/** What the routes need of the server they belong to. */
export interface ServerParts {
  readonly core: Core
  readonly engine: Engine
  readonly auth: Auth
  readonly devices: Devices
  readonly codes: Codes
  readonly clients: Clients
  readonly feed: Feed
  readonly clientTools: ClientTools
  readonly security: SecurityLog
  /** The folder of the built page. */
  readonly page: string
  /** Where people reach the server. */
  readonly url: () => string
  /** Aborted when the server closes, so that no request waits on. */
  readonly closing: AbortSignal
  shutdown(): void
}

export interface HttpEnv {
  Bindings: HttpBindings
  Variables: {
    caller: Caller
    /** The answer goes out even when this request takes away the token that it came with. */
    leave: () => void
  }
}
