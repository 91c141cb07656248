import { agentRoutes } from './agents.ts'
import { deviceRoutes } from './devices.ts'
import { eventRoutes } from './events.ts'
import { fileRoutes } from './files.ts'
import { hookRoutes } from './hooks.ts'
import { inboxRoutes } from './inbox.ts'
import { mailRoutes } from './mail.ts'
import { mcpRoutes } from './mcp.ts'
import { meRoutes } from './me.ts'
import { memoryRoutes } from './memory.ts'
import { messageRoutes } from './messages.ts'
import { modelRoutes } from './models.ts'
import { permissionRoutes } from './permissions.ts'
import { projectRoutes } from './projects.ts'
import type { ApiRoute } from './route.ts'
import { runRoutes } from './runs.ts'
import { serverRoutes } from './server.ts'
import { sessionRoutes } from './sessions.ts'
import { settingsRoutes } from './settings.ts'
import { skillRoutes } from './skills.ts'
import { taskRoutes } from './tasks.ts'
import { toolRoutes } from './tools.ts'
import { triggerRoutes } from './triggers.ts'
import { trustRoutes } from './trust.ts'
import { whyRoutes } from './why.ts'

/** The whole API, by noun. */
export const routes = {
  server: serverRoutes,
  devices: deviceRoutes,
  me: meRoutes,
  projects: projectRoutes,
  files: fileRoutes,
  agents: agentRoutes,
  sessions: sessionRoutes,
  messages: messageRoutes,
  mail: mailRoutes,
  tasks: taskRoutes,
  runs: runRoutes,
  inbox: inboxRoutes,
  events: eventRoutes,
  memory: memoryRoutes,
  settings: settingsRoutes,
  models: modelRoutes,
  tools: toolRoutes,
  hooks: hookRoutes,
  mcp: mcpRoutes,
  skills: skillRoutes,
  permissions: permissionRoutes,
  triggers: triggerRoutes,
  trust: trustRoutes,
  why: whyRoutes,
}
export type Routes = typeof routes

type Tables = Routes[keyof Routes]
type NamesOf<T> = T extends unknown ? keyof T : never
type Entry<T, N> = T extends unknown ? (N extends keyof T ? T[N] : never) : never

/** A method and a path, such as `GET /api/sessions/{ref}`. */
export type RouteName = NamesOf<Tables>
export type RouteOf<N extends RouteName> = Entry<Tables, N>

export const everyRoute: readonly (readonly [name: string, route: ApiRoute])[] = Object.values(routes).flatMap(
  (table) => Object.entries(table),
)
