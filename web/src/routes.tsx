import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import { Broken } from './shell/broken.tsx'
import { Missing } from './shell/missing.tsx'
import { Shell } from './shell/shell.tsx'

/** Every view and its address. Filters and what is open beside are in the address too. */

const root = createRootRoute({ component: Shell, notFoundComponent: Missing })

/** The words behind `?` as they are; each view reads the ones it knows. */
const validateSearch = (search: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(Object.entries(search).map(([name, value]) => [name, String(value)]))

const at = <P extends string>(path: P, load: () => Promise<Record<string, unknown>>, name: string) =>
  createRoute({
    getParentRoute: () => root,
    path,
    validateSearch,
    errorComponent: Broken,
    component: lazyRouteComponent(load as () => Promise<Record<string, never>>, name),
  })

const tree = root.addChildren([
  at('/', () => import('./pages/home/home.tsx'), 'Home'),
  at('/inbox', () => import('./pages/inbox/inbox.tsx'), 'Inbox'),
  at('/sessions/$session', () => import('./pages/conversation/conversation.tsx'), 'Conversation'),
  at('/runs', () => import('./pages/runs/runs.tsx'), 'Runs'),
  at('/runs/$run', () => import('./pages/board/board.tsx'), 'BoardPage'),
  at('/runs/$run/$tab', () => import('./pages/board/board.tsx'), 'BoardPage'),
  at('/runs/$run/workers/$worker', () => import('./pages/worker/worker.tsx'), 'WorkerPage'),
  at('/tasks', () => import('./pages/tasks/tasks.tsx'), 'Tasks'),
  at('/triggers', () => import('./pages/triggers/triggers.tsx'), 'Triggers'),
  at('/files', () => import('./pages/files/files.tsx'), 'Files'),
  at('/memory', () => import('./pages/memory/memory.tsx'), 'Memory'),
  at('/agents', () => import('./pages/agents/agents.tsx'), 'Agents'),
  at('/models', () => import('./pages/models/models.tsx'), 'Models'),
  at('/cost', () => import('./pages/cost/cost.tsx'), 'Cost'),
  at('/feed', () => import('./pages/feed/feed.tsx'), 'Feed'),
  at('/settings', () => import('./pages/settings/settings.tsx'), 'Settings'),
  at('/devices', () => import('./pages/devices/devices.tsx'), 'Devices'),
])

export const router = createRouter({ routeTree: tree, defaultPreload: 'intent', scrollRestoration: false })
