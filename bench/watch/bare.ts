import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { WebSocketServer } from 'ws'
import { type Made, TEXT } from './job.ts'

/** The floor: one insert, then the same bytes for every socket. */
export async function openBare(folder: string): Promise<Made> {
  const db = new DatabaseSync(join(folder, 'bare.db'))
  db.exec(`
    pragma journal_mode = wal; pragma synchronous = normal;
    create table events (
      id integer primary key, at integer not null, type text not null, project text not null, data text not null);`)
  const insert = db.prepare('insert into events (at, type, project, data) values (?, ?, ?, ?)')
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false })
  await new Promise((resolve) => server.once('listening', resolve))
  server.on('connection', (socket) => socket.send('{"id":"url","seq":"0"}'))
  const project = '0123456789abcdef'
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token: '',
    async make(metadata) {
      const at = Date.now()
      const data = { level: 'info', message: TEXT, metadata }
      const { lastInsertRowid } = insert.run(at, 'log', project, JSON.stringify(data))
      const event = { seq: String(lastInsertRowid), at: new Date(at).toISOString(), type: 'log', project, data }
      const bytes = Buffer.from(`{"event":${JSON.stringify(event)}}`)
      for (const socket of server.clients) socket.send(bytes, { binary: false })
    },
    async stop() {
      for (const socket of server.clients) socket.terminate()
      server.close()
      db.close()
    },
  }
}
