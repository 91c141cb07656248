import type { Problem } from '../../../contract/agents.ts'
import { HookFile } from '../../../contract/hook-file.ts'
import { HookEvent } from '../../../contract/hooks.ts'
import { asObject } from '../../../lib/json.ts'

/** A hook before tools that is written down and cannot be used. Until it is repaired, what it guards is refused. */
export interface LostGuard {
  readonly problem: Problem
  /** The tools that it is about; every tool unless that is known. */
  readonly match?: readonly string[]
}

interface ReadFile {
  readonly file: string
  /** Undefined where it could not be read at all. */
  readonly text: string | undefined
  /** As it is written, and what of it counts; undefined where the file is not sound. */
  readonly given?: unknown
  readonly kept?: { readonly beforeTool?: readonly unknown[] | undefined } | undefined
  readonly problems: readonly Problem[]
}

const EVENT = 'beforeTool' satisfies HookEvent
const FIELD = `hooks.${EVENT}`

/** A file that is not sound may hold guards, unless it can be seen that it does not. */
export function guardsInDamaged({ file, text, problems: [problem] }: ReadFile): LostGuard[] {
  const may = text === undefined || text.includes(EVENT)
  return may ? [{ problem: problem ?? { file, message: 'cannot be read' } }] : []
}

/** What a sound file says of hooks before tools in vain. A name that is no event may be such a hook with a slip in it. */
export function guardsLost({ file, given, kept, problems }: ReadFile): LostGuard[] {
  const about = (field: string): Problem =>
    problems.find((one) => one.field === field || one.field?.startsWith(`${field}.`)) ?? {
      file,
      field,
      message: 'cannot be used',
    }
  if (given === undefined) return []
  const events = asObject(given)
  if (events !== given) return [{ problem: about('hooks') }]
  const slips = Object.keys(events).filter((name) => !HookEvent.safeParse(name).success)
  return [
    ...slips.map((name) => ({ problem: about(`hooks.${name}`) })),
    ...brokenIn(events[EVENT], kept?.[EVENT], about),
  ]
}

function brokenIn(given: unknown, kept: readonly unknown[] = [], about: (field: string) => Problem): LostGuard[] {
  if (given === undefined) return []
  if (!Array.isArray(given)) return [{ problem: about(FIELD) }]
  const broken = given.flatMap((hook, at): LostGuard[] => {
    const { command, match } = asObject(hook)
    if (HookFile.shape.command.safeParse(command).success) return []
    const known = HookFile.shape.match.safeParse(match).data
    return [{ problem: about(`${FIELD}.${at}`), ...(known && { match: known }) }]
  })
  return given.length - kept.length > broken.length ? [{ problem: about(FIELD) }] : broken
}
