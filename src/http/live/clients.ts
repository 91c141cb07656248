import { AppError } from '../../contract/errors.ts'

/** Connections that stay open: event streams and sockets. */
export interface Clients {
  readonly count: number
  /** Takes a place and gives the function that frees it; throws when all are taken. */
  enter(): () => void
}

const CLIENTS = 200

export function createClients(limit = CLIENTS): Clients {
  const present = new Set<symbol>()
  return {
    get count() {
      return present.size
    },
    enter() {
      if (present.size >= limit) throw tooMany(limit)
      const place = Symbol()
      present.add(place)
      return () => void present.delete(place)
    },
  }
}

const tooMany = (limit: number): AppError =>
  new AppError('events.too_many_readers', `${limit} clients are connected already.`, {
    hint: 'Close a page or a "troupe chat" that is not needed, or poll GET /api/events.',
  })
