import type { Presence, SetPresence } from '../../../src/contract/presence.ts'
import { type Live, type Resource, stale, useLive } from '../live/resource.ts'
import { server } from '../live/server.ts'

/** Whether the person is there, and whether everything is paused. */
const presence: Resource<Presence> = {
  key: 'presence',
  read: () => server.snapshot('GET /api/presence', {}),
  interest: { types: ['presence.changed', 'everything.paused', 'everything.resumed'] },
  fold: () => stale,
}

export const usePresence = (): Live<Presence> => useLive(presence)

export const setPresence = (body: SetPresence): Promise<Presence> => server.call('POST /api/presence', { body })

export const pauseAll = (): Promise<Presence> => server.call('POST /api/pause', {})

export const resumeAll = (): Promise<Presence> => server.call('POST /api/resume', {})
