import { dirname } from 'node:path'
import type { Problem } from '../../../contract/agents.ts'
import { AppError } from '../../../contract/errors.ts'
import { Settings } from '../../../contract/settings.ts'
import { readSmall, realPath, writeAtomic } from '../../../lib/files/files.ts'
import { editJsonc, parseJsonc } from '../../../lib/jsonc.ts'
import { inWords, keepValid, type Project } from '../../base/index.ts'
import { refuseLinkOut } from '../links.ts'
import { type Sources, settingsFile, whyNotInProject } from './layers.ts'
import { leavesOf } from './leaves.ts'

/** Writes dotted keys into one settings file; null removes a key. Comments stay. Nothing is written unless all of it is right. */
export async function patchSettings(
  core: Sources,
  project: Project,
  where: 'home' | 'project' | 'project-local',
  changes: Readonly<Record<string, unknown>>,
): Promise<void> {
  const file = settingsFile(core, project, where)
  if (where !== 'home') {
    refuseForeign(changes, file)
    refuseLinkOut(project.path, dirname(file))
  }
  const before = currentText(file, where === 'home' ? undefined : project.path)
  const after = Object.entries(changes).reduce((text, [key, value]) => change(text, key, value), before)
  refuseBroken(before, after, file)
  // In home a link (someone's dotfiles) is written through; in a project it is replaced.
  if (where === 'home') writeAtomic(realPath(file), after, 0o600)
  else writeAtomic(file, after)
}

function refuseForeign(changes: Readonly<Record<string, unknown>>, file: string): void {
  for (const [key, value] of Object.entries(changes)) {
    if (value === null) continue
    const given =
      typeof value === 'object' && !Array.isArray(value) ? leavesOf({ [key]: value }) : new Map([[key, value]])
    for (const [leaf, part] of given) {
      const why = whyNotInProject(leaf, part)
      if (why)
        throw new AppError('settings.not_here', `${leaf} ${why}, not in ${file}.`, {
          hint: 'Set it with where "home".',
        })
    }
  }
}

function currentText(file: string, root: string | undefined): string {
  const current = readSmall(file, root === undefined ? {} : { root })
  if (current === undefined) return ''
  const broken = current.problem ?? (current.cut ? 'is too large' : parseJsonc(current.text).errors[0])
  if (broken === undefined) return current.text
  throw new AppError('settings.invalid', `${file} ${broken}.`, {
    hint: 'Repair it in an editor first; nothing was changed.',
  })
}

function change(text: string, key: string, value: unknown): string {
  const path = pathOf(key)
  try {
    return editJsonc(text, [{ path, value: value ?? undefined }])
  } catch (cause) {
    throw new AppError('settings.invalid', `"${key}" cannot be set: its parent is not a group of settings.`, {
      cause,
    })
  }
}

function pathOf(key: string): string[] {
  const path = key.split('.')
  if (path.every((step) => /^[\w$-]+$/.test(step))) return path
  throw new AppError('settings.invalid', `"${key}" is not the name of a setting.`, {
    hint: 'Names are dotted, for example "limits.maxIterations".',
  })
}

/** Only new problems refuse the change, so that a person can repair a broken file key by key. */
function refuseBroken(before: string, after: string, file: string): void {
  const old = new Set(problemsIn(before, file).map((problem) => JSON.stringify(problem)))
  const fresh = problemsIn(after, file).filter((problem) => !old.has(JSON.stringify(problem)))
  if (fresh.length === 0) return
  throw new AppError('settings.invalid', `Not written: ${inWords(fresh)}.`, {
    hint: '`troupe config list` shows the settings there are.',
    details: fresh,
  })
}

function problemsIn(text: string, file: string): Problem[] {
  const parsed = parseJsonc(text)
  const broken = parsed.errors.map((message) => ({ file, message }))
  return [...broken, ...keepValid(Settings, parsed.value ?? {}, file).problems]
}
