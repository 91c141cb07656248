import { connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** The wire between a server and PostgreSQL, which a test may cut. */
interface Wire {
  /** Where the server connects to instead. */
  to(url: string): Promise<string>
  /** Cuts every connection; new ones can be made. */
  cut(): void
  /** Cuts every connection and lets none be made, until `mend`. */
  fell(): void
  mend(): void
  /**
   * Cuts the connection on which the next commit goes, or a later one: before the database hears of it, or after the database
   * has done it and before the server hears of that. Resolves when it is cut.
   */
  cutAtCommit(when: 'before' | 'after', passed?: number): Promise<void>
}

export function createWire(): Wire {
  const open = new Set<Socket>()
  let down = false
  let next: { when: 'before' | 'after'; passed: number; done: () => void } | undefined

  const cut = (): void => {
    for (const socket of open) socket.resetAndDestroy()
  }

  function join(near: Socket, port: number): void {
    if (down) return void near.resetAndDestroy()
    const far = connect(port, '127.0.0.1')
    const drop = (): void => {
      for (const socket of [near, far]) {
        open.delete(socket)
        socket.destroy()
      }
    }
    for (const socket of [near, far]) {
      open.add(socket)
      socket.on('error', drop).on('close', drop)
    }
    let mute = false
    near.on('data', (bytes) => {
      if (next === undefined || !bytes.includes('commit\0') || next.passed-- > 0) return void far.write(bytes)
      const { when, done } = next
      next = undefined
      if (when === 'before') drop()
      else {
        mute = true
        far.write(bytes)
        far.once('data', drop)
      }
      done()
    })
    far.on('data', (bytes) => {
      if (!mute) near.write(bytes)
    })
  }

  return {
    async to(url) {
      const target = new URL(url)
      const port = Number(target.port)
      const server = createServer((near) => join(near, port))
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      onTestFinished(() => {
        server.close()
        cut()
      })
      const address = server.address()
      target.port = String(typeof address === 'object' ? address?.port : '')
      return target.href
    },
    cut,
    fell() {
      down = true
      cut()
    },
    mend() {
      down = false
    },
    cutAtCommit: (when, passed = 0) => new Promise<void>((done) => (next = { when, passed, done })),
  }
}
