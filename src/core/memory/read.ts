import { AppError } from '../../contract/errors.ts'
import type { MemoryText } from '../../contract/memory.ts'
import { printable } from '../../lib/text.ts'
import type { Core } from '../base/index.ts'
import { memoryFiles, readBytes } from './files.ts'
import { memoryPath } from './paths.ts'
import { memorySource, type Scope } from './scopes.ts'

const SHOWN = 30

export async function readMemory(core: Pick<Core, 'clock'>, scope: Scope, given: string): Promise<MemoryText> {
  const path = memoryPath(scope, given, core.clock.now())
  const file = await readBytes(scope, path)
  if (file === undefined) throw notFound(scope, path)
  const { name, agent } = scope
  return {
    scope: name,
    ...(agent !== undefined && { agent }),
    path,
    bytes: file.bytes.length,
    hash: file.hash,
    text: printable(new TextDecoder().decode(file.bytes)),
  }
}

function notFound(scope: Scope, path: string): AppError {
  const there = memoryFiles(scope, SHOWN).map((file) => file.path)
  return new AppError('memory.not_found', `There is no ${memorySource(scope, path)}.`, {
    hint: there.length === 0 ? 'Nothing is remembered there yet.' : `There is: ${there.join(', ')}.`,
  })
}
