import type { IncomingMessage, Server } from 'node:http'
import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { BODY_LIMIT } from '../../contract/api.ts'
import { AppError } from '../../contract/errors.ts'
import { SOCKET_PROTOCOL } from '../../contract/frames.ts'
import type { ServerParts } from '../context.ts'
import { bodyOf, httpStatusOf, toAppError } from '../errors.ts'
import { securityHeaders } from '../faces/headers.ts'
import { bearerOf, type Caller, sourceOf } from '../guard/auth.ts'
import { type Gate, requestPath } from '../guard/gate.ts'
import { refuseOthers, socketQuery } from '../guard/query.ts'
import { checkRight } from '../guard/rights.ts'
import { converse } from './socket-client.ts'

/** GET /api/ws: everything is checked before the connection becomes a WebSocket. */
export function attachSockets(server: Server, face: ServerParts, gate: Gate): { close(): void } {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: BODY_LIMIT,
    perMessageDeflate: false,
    handleProtocols: (offered) => (offered.has(SOCKET_PROTOCOL) ? SOCKET_PROTOCOL : false),
  })

  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => socket.destroy())
    admit(request).then(
      (caller) => raise(caller, request, socket, head),
      (thrown) => refuse(request, socket, toAppError(thrown)),
    )
  })

  return {
    close() {
      for (const ws of sockets.clients)
        ws.close(1001, 'The server is shutting down. Reconnect with "after" = the last seq you got.')
      sockets.close()
    },
  }

  function raise(caller: Caller, request: IncomingMessage, socket: Duplex, head: Buffer): void {
    if (socket.destroyed) return
    const leave = face.clients.enter()
    socket.once('close', leave)
    sockets.handleUpgrade(request, socket, head, (ws: WebSocket) => converse(face, caller, ws, queryOf(request)))
  }

  async function admit(request: IncomingMessage): Promise<Caller> {
    const refused = gate(request)
    if (refused !== undefined) throw refused
    if (face.closing.aborted) throw face.closing.reason
    const caller = await face.auth.identify(tokenOf(request))
    checkRight(caller, 'GET', requestPath(request))
    refuseOthers([...queryOf(request).keys()], socketQuery)
    if (requestPath(request) === '/api/ws' && request.headers.upgrade?.toLowerCase() === 'websocket') return caller
    throw new AppError('request.unknown_route', 'Only /api/ws can be upgraded, to a WebSocket.')
  }

  function refuse(request: IncomingMessage, socket: Duplex, error: AppError): void {
    face.security(error.code, `upgrade ${requestPath(request)}`, error.message, sourceOf(undefined, request))
    const status = httpStatusOf(error)
    const text = JSON.stringify(bodyOf(error))
    const headers = {
      ...securityHeaders,
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(text),
      Connection: 'close',
    }
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${text}`)
  }
}

/** Browsers cannot set headers on a WebSocket, so the token may also be one of the offered subprotocols. */
function tokenOf(request: IncomingMessage): string | undefined {
  const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim())
  return (
    bearerOf(request.headers.authorization) ??
    offered.find((name) => name.startsWith('bearer.'))?.slice('bearer.'.length)
  )
}

const queryOf = (request: IncomingMessage): URLSearchParams =>
  new URLSearchParams((request.url ?? '').split('?').slice(1).join('?'))
