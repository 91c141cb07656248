import type { Core } from '../core/base/index.ts'
import { routeItems } from '../core/channels/index.ts'
import { type Sightings, watchEvents } from '../core/triggers/index.ts'

/** Looks at new events for the triggers that wait for some, and at new items for channels. The positions are rows: a lost hint costs time, not an event. */
interface Watcher {
  look(): Promise<void>
  stop(): void
}

export function createWatcher(core: Core): Watcher {
  const ahead: Sightings = new Map()
  let stopped = false
  let looking = false
  let again = false
  /** Nobody waits for events, as far as is known: then most commits cost nothing here. */
  let nobody = false

  let routing = false
  let routeAgain = false
  const off = core.bus.onCommit((events) => {
    if (events.some(({ type }) => type === 'inbox.added')) void route()
    const aboutTriggers = events.some(({ type }) => type.startsWith('trigger.'))
    if (aboutTriggers) nobody = false
    if (!nobody && events.some(({ type }) => aboutTriggers || !type.startsWith('trigger.'))) void look()
  })

  /** One look at a time. A call during a look makes it look once more at its end. */
  async function look(): Promise<void> {
    again = true
    if (looking || stopped) return
    looking = true
    while (again && !stopped) {
      again = false
      try {
        const { waiting, more } = await watchEvents(core, ahead)
        nobody = waiting === 0
        again ||= more
      } catch (error) {
        core.log('error', 'triggers that wait for events could not be read', { error: String(error) })
      }
    }
    looking = false
  }

  /** New items go to the channels that the person named. Where there are none this costs a look at the settings. */
  async function route(): Promise<void> {
    routeAgain = true
    if (routing || stopped) return
    routing = true
    while (routeAgain && !stopped) {
      routeAgain = false
      try {
        routeAgain ||= (await routeItems(core)).more
      } catch (error) {
        core.log('error', 'items could not be given to channels', { error: String(error) })
      }
    }
    routing = false
  }

  return {
    look: async () => void (await Promise.all([look(), route()])),
    stop() {
      stopped = true
      off()
    },
  }
}
