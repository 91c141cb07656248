import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTrust } from '../../src/core/config/index.ts'
import { putFile } from './files.ts'
import type { World } from './world.ts'

/** The person trusts the world's project, so that there is memory in it. */
export const trust = (world: World) => setTrust(world.server.core, world.server.core.project, { trusted: true })

/** A call that writes memory. */
export const note = (content: string, more: Record<string, unknown> = {}) => ({
  name: 'memory_write',
  input: { content, ...more },
})

/** The text of a file below the memory of the project. */
export const memoryText = (world: World, path: string): string =>
  readFileSync(join(world.project, '.troupe', 'memory', path), 'utf8')

/** Edits one by hand. */
export const putMemory = (world: World, path: string, text: string): string =>
  putFile(join(world.project, '.troupe', 'memory', path), text)
