import { AppError } from '../../contract/errors.ts'
import { HIDDEN } from '../../lib/mask.ts'
import { FILE_BYTES, FILES, type MemoryBytes, memoryFiles } from './files.ts'
import { isLog, recentLogs } from './paths.ts'
import { memorySource, type Scope } from './scopes.ts'
import type { MemoryChange } from './text.ts'

/** An agent must not write the mask it was shown over the secret behind it. */
export function refuseMask(scope: Scope, path: string, content: string, there: MemoryBytes | undefined): void {
  if (!content.includes(HIDDEN) || there === undefined || there.bytes.includes(HIDDEN)) return
  throw new AppError(
    'memory.conflict',
    `In ${memorySource(scope, path)}, ${HIDDEN} stands for something that you are not shown; nothing was written.`,
    {
      hint: 'Append instead, or ask the person to change the file.',
    },
  )
}

/** A replace needs the text it was based on, and the logs of the last two days only grow. */
export function refuseStale(
  scope: Scope,
  path: string,
  { mode, hash }: Pick<MemoryChange, 'mode' | 'hash'>,
  there: MemoryBytes | undefined,
  now: number,
): void {
  if (mode !== 'replace' || there === undefined) return
  const file = memorySource(scope, path)
  if (isLog(path) && recentLogs(now).includes(path))
    throw new AppError(
      'memory.conflict',
      `${file} is the log of a day that has just passed or still lasts: it is only appended to.`,
      {
        hint: 'Append to it; logs of earlier days may be replaced.',
      },
    )
  if (hash === there.hash) return
  const why =
    hash === undefined ? 'is there already, and a replace needs its hash' : 'has changed since that hash was read'
  throw new AppError('memory.conflict', `${file} ${why}; nothing was written.`, {
    hint: 'Read it again, put your change into what is there now, and replace that with the hash it has; or append.',
    details: { hash: there.hash },
  })
}

export function refuseSize(
  scope: Scope,
  path: string,
  after: Buffer | undefined,
  there: MemoryBytes | undefined,
): void {
  const file = memorySource(scope, path)
  // What is over the limit already, because it was edited by hand, may still be made smaller.
  if (after !== undefined && after.length > FILE_BYTES && after.length > (there?.bytes.length ?? 0))
    throw new AppError('memory.too_large', `${file} would have ${after.length} bytes; ${FILE_BYTES} at most.`, {
      hint: 'Replace it with a shorter text, or begin another file.',
    })
  if (after !== undefined && there === undefined && memoryFiles(scope).length >= FILES)
    throw new AppError('memory.too_large', `The memory "${scope.name}" has ${FILES} files already.`, {
      hint: 'Append to one of them, or remove some: a replace with empty content removes a file.',
    })
}
