import { startServer } from '../../src/app.ts'
import { keepHouseOrTell } from '../../src/core/server/housekeeping.ts'

/** A server of its own that clears up as if so many days had passed, and ends. */
const [home = '', project = '', days = '0'] = process.argv.slice(2)
const later = Number(days) * 24 * 60 * 60_000
const server = await startServer({
  home,
  project,
  env: process.env,
  port: 0,
  clock: { now: () => Date.now() + later },
})
await keepHouseOrTell(server.core)
await server.stop()
