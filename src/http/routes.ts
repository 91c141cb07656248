import { OpenAPIHono } from '@hono/zod-openapi'
import { AppError, type ErrorCode, isForbidden } from '../contract/errors.ts'
import { type Routes, routes } from '../contract/routes/index.ts'
import { accountHandlers } from './api/accounts.ts'
import { agentHandlers } from './api/agents.ts'
import { backupHandlers } from './api/backup.ts'
import { costHandlers } from './api/cost.ts'
import { deviceHandlers } from './api/devices.ts'
import { eventHandlers } from './api/events.ts'
import { fileHandlers } from './api/files.ts'
import { hookHandlers } from './api/hooks.ts'
import { inboxHandlers } from './api/inbox.ts'
import { mailHandlers } from './api/mail.ts'
import { mcpHandlers } from './api/mcp.ts'
import { meHandlers } from './api/me.ts'
import { memoryHandlers } from './api/memory.ts'
import { messageHandlers } from './api/messages.ts'
import { metricsHandlers } from './api/metrics.ts'
import { modelHandlers } from './api/models.ts'
import { permissionHandlers } from './api/permissions.ts'
import { projectHandlers } from './api/projects.ts'
import { runHandlers } from './api/runs.ts'
import { sessionPartHandlers } from './api/session-parts.ts'
import { sessionHandlers } from './api/sessions.ts'
import { settingsHandlers } from './api/settings.ts'
import { shutdownHandlers } from './api/shutdown.ts'
import { skillHandlers } from './api/skills.ts'
import { statusHandlers } from './api/status.ts'
import { taskHandlers } from './api/tasks.ts'
import { toolHandlers } from './api/tools.ts'
import { topHandlers } from './api/top.ts'
import { triggerHandlers } from './api/triggers.ts'
import { trustHandlers } from './api/trust.ts'
import { whyHandlers } from './api/why.ts'
import type { HttpEnv, ServerParts } from './context.ts'
import { bodyOf, httpStatusOf, invalid, toAppError } from './errors.ts'
import { answerHeaders, answerRoutes, isAnswerPage, problemPage } from './faces/answer.ts'
import { docHandlers } from './faces/docs.ts'
import { isStatic, pageRoutes } from './faces/page.ts'
import { bearerOf, sourceOf } from './guard/auth.ts'
import { jsonBody, nulFreeAddress } from './guard/body.ts'
import { whileHeld } from './guard/held.ts'
import { checkRight, isForAnyone } from './guard/rights.ts'
import type { Handlers } from './handlers.ts'
import { register } from './register.ts'

/** The whole API. Before any route is looked for, the caller is known, and the body is read and bounded. */
export function createRoutes(face: ServerParts): OpenAPIHono<HttpEnv> {
  const { core } = face
  const app = new OpenAPIHono<HttpEnv>({
    defaultHook: (result) => {
      if (!result.success) throw invalid(result.error, result.target)
    },
  })

  app.use(async (c, next) => {
    if (face.closing.aborted) throw face.closing.reason
    const { method, path } = c.req
    if (!isForAnyone(method, path) && !isStatic(method, path) && !isAnswerPage(method, path)) {
      const caller = await face.auth.identify(bearerOf(c.req.header('authorization')))
      checkRight(caller, method, path)
      c.set('caller', caller)
      const { outgoing } = c.env
      const leave = whileHeld(face, caller, () => outgoing.destroy())
      outgoing.once('close', leave)
      c.set('leave', leave)
    }
    await next()
  })
  app.use(nulFreeAddress)
  app.use(jsonBody)

  app.route('/', answerRoutes(face))
  app.route('/', pageRoutes(face.page))
  const handlers = handlersOf(face, () => describe(app))
  for (const noun of nouns) register(app, noun, routes[noun], handlers[noun])

  app.notFound((c) => {
    throw new AppError('request.unknown_route', `There is no ${c.req.method} ${c.req.path.slice(0, 200)}.`, {
      hint: 'GET /api/openapi.json lists the routes.',
    })
  })
  app.onError((thrown, c) => {
    const error = toAppError(thrown)
    const route = `${c.req.method} ${c.req.path}`
    if (isRecorded(error.code)) face.security(error.code, route, error.message, sourceOf(c.var.caller, c.env.incoming))
    if (error.code === 'internal') core.log('error', 'A request failed', { route, error: inside(thrown) })
    const status = httpStatusOf(error)
    return isAnswerPage(c.req.method, c.req.path)
      ? c.html(problemPage(error), status, answerHeaders)
      : c.json(bodyOf(error), status)
  })
  return app
}

/** Refusals, and wrong or missing tokens. */
const isRecorded = (code: ErrorCode): boolean => code.startsWith('auth.') || isForbidden(code)

const nouns = Object.keys(routes) as (keyof Routes)[]

/** One handler for every route of the contract: the compiler refuses a missing one and one too many. */
const handlersOf = (face: ServerParts, describe: () => object): { [Noun in keyof Routes]: Handlers<Routes[Noun]> } => ({
  server: {
    ...statusHandlers(face),
    ...topHandlers(face),
    ...metricsHandlers(face),
    ...backupHandlers(face),
    ...shutdownHandlers(face),
    ...docHandlers(describe),
  },
  devices: deviceHandlers(face),
  me: meHandlers(face),
  projects: projectHandlers(face),
  files: fileHandlers(face),
  agents: agentHandlers(face),
  sessions: { ...sessionHandlers(face), ...sessionPartHandlers(face) },
  messages: messageHandlers(face),
  mail: mailHandlers(face),
  tasks: taskHandlers(face),
  runs: runHandlers(face),
  inbox: inboxHandlers(face),
  events: eventHandlers(face),
  memory: memoryHandlers(face),
  settings: settingsHandlers(face),
  models: { ...modelHandlers(face), ...accountHandlers(face), ...costHandlers(face) },
  tools: toolHandlers(face),
  hooks: hookHandlers(face),
  mcp: mcpHandlers(face),
  skills: skillHandlers(face),
  permissions: permissionHandlers(face),
  triggers: triggerHandlers(face),
  trust: trustHandlers(face),
  why: whyHandlers(face),
})

function describe(app: OpenAPIHono<HttpEnv>): object {
  app.openAPIRegistry.registerComponent('securitySchemes', 'token', { type: 'http', scheme: 'bearer' })
  return app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: { title: 'Troupe', version: '1', description: 'A runtime for teams of AI agents that talk to each other.' },
    security: [{ token: [] }],
  })
}

const inside = (thrown: unknown): string =>
  thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)
