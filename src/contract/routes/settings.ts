import { PatchSettings } from '../api.ts'
import { SettingsView } from '../settings.ts'
import type { RouteTable } from './route.ts'
import { InProject } from './shapes.ts'

/** Each value that counts, where it comes from, and what is wrong in the files. */
export const settingsRoutes = {
  'GET /api/settings': {
    summary: 'The settings that count in the project; secrets hidden',
    who: 'person',
    query: InProject,
    answer: SettingsView,
  },
  'PATCH /api/settings': {
    summary: 'Change keys in one settings file; null removes a key',
    who: 'person',
    query: InProject,
    body: PatchSettings,
    answer: SettingsView,
  },
} as const satisfies RouteTable
