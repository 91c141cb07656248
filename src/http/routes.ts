import { OpenAPIHono } from '@hono/zod-openapi'
import { AppError } from '../contract/errors.ts'
import { accountRoutes } from './api/accounts.ts'
import { agentRoutes } from './api/agents.ts'
import { backupRoutes } from './api/backup.ts'
import { costRoutes } from './api/cost.ts'
import { eventRoutes } from './api/events.ts'
import { healthRoutes } from './api/health.ts'
import { inboxRoutes } from './api/inbox.ts'
import { loginRoutes } from './api/login.ts'
import { mailRoutes } from './api/mail.ts'
import { messageRoutes } from './api/messages.ts'
import { metricsRoutes } from './api/metrics.ts'
import { modelRoutes } from './api/models.ts'
import { permissionRoutes } from './api/permissions.ts'
import { insideRoutes } from './api/session-parts.ts'
import { sessionRoutes } from './api/sessions.ts'
import { settingsRoutes } from './api/settings.ts'
import { shutdownRoutes } from './api/shutdown.ts'
import { switchingRoutes } from './api/switching.ts'
import { toolRoutes } from './api/tools.ts'
import { trustRoutes } from './api/trust.ts'
import { whyRoutes } from './api/why.ts'
import type { Env, Face } from './context.ts'
import { bodyOf, invalid, statusOf, toAppError } from './errors.ts'
import { docRoutes } from './faces/docs.ts'
import { pageRoutes, staticPaths } from './faces/page.ts'
import { bearerOf } from './guard/auth.ts'
import { jsonBody } from './guard/body.ts'
import { knownQuery } from './guard/query.ts'
import { checkRight } from './guard/rights.ts'

/** The whole API. Who calls is known, and the body is read and bounded, before any route is looked for. */
export function createRoutes(face: Face): OpenAPIHono<Env> {
  const { core } = face
  const app = new OpenAPIHono<Env>({
    defaultHook: (result) => {
      if (!result.success) throw invalid(result.error, result.target)
    },
  })

  app.use(async (c, next) => {
    if (face.closing.aborted) throw face.closing.reason
    const { method, path } = c.req
    if (!isOpen(method, path)) {
      const caller = await face.auth.identify(bearerOf(c.req.header('authorization')))
      checkRight(caller, method, path)
      c.set('caller', caller)
    }
    await next()
  })
  app.use(jsonBody)
  app.use(knownQuery(app))

  app.route('/', pageRoutes())
  app.route('/', metricsRoutes(face))
  const api = [
    healthRoutes(face),
    loginRoutes(face),
    agentRoutes(face),
    sessionRoutes(face),
    switchingRoutes(face),
    messageRoutes(face),
    insideRoutes(face),
    mailRoutes(face),
    inboxRoutes(face),
    eventRoutes(face),
    settingsRoutes(face),
    modelRoutes(face),
    accountRoutes(face),
    costRoutes(face),
    toolRoutes(face),
    permissionRoutes(face),
    trustRoutes(face),
    whyRoutes(face),
    backupRoutes(face),
    shutdownRoutes(face),
    docRoutes(() => describe(app)),
  ]
  for (const routes of api) app.route('/api', routes)

  app.notFound((c) => {
    throw new AppError('request.unknown_route', `There is no ${c.req.method} ${c.req.path.slice(0, 200)}.`, {
      hint: 'GET /api/openapi.json lists the routes.',
    })
  })
  app.onError((thrown, c) => {
    const error = toAppError(thrown)
    const route = `${c.req.method} ${c.req.path}`
    if (error.code.startsWith('auth.')) face.security(error.code, route, error.message)
    if (error.code === 'internal') core.log('error', 'A request failed', { route, error: inside(thrown) })
    return c.json(bodyOf(error), statusOf(error))
  })
  return app
}

/** All that may be asked without a token. */
const isOpen = (method: string, path: string): boolean =>
  method === 'GET' || method === 'HEAD'
    ? path === '/api/health' || staticPaths.has(path)
    : method === 'POST' && path === '/api/login'

function describe(app: OpenAPIHono<Env>): object {
  app.openAPIRegistry.registerComponent('securitySchemes', 'token', { type: 'http', scheme: 'bearer' })
  return app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: { title: 'Troupe', version: '1', description: 'A runtime for teams of AI agents that talk to each other.' },
    security: [{ token: [] }],
  })
}

const inside = (thrown: unknown): string =>
  thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)
