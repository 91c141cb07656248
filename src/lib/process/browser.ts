import { spawn } from 'node:child_process'
import type { Variables } from './environment.ts'
import { findProgram } from './programs.ts'

/** The program that opens an address in the person's browser; undefined where nobody would see it. */
export function browserOpener(env: Variables, platform: string = process.platform): string | undefined {
  if (env.SSH_CONNECTION || env.CI) return undefined
  if (platform === 'darwin') return findProgram('open', env)
  if (platform !== 'linux' || !(env.DISPLAY || env.WAYLAND_DISPLAY)) return undefined
  return findProgram('xdg-open', env)
}

/** Starts it and does not wait: the browser outlives us. False when it could not be started. */
export function openWith(opener: string, address: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const child = spawn(opener, [address], { stdio: 'ignore', detached: true, env })
  child.on('error', () => resolve(false))
  child.on('spawn', () => {
    child.unref()
    resolve(true)
  })
  return promise
}
