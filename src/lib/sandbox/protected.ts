import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isInside, realPath } from '../files/files.ts'
import { isProtectedName } from '../files/paths.ts'

const DEPTH = 3
const ENTRIES = 5000

/** The protected paths that exist in the workspace and, as far as a quick look reaches, in its folders. */
export function protectedUnder(workspace: string): string[] {
  const found: string[] = []
  let left = ENTRIES
  const look = (folder: string, depth: number): void => {
    for (const entry of entriesOf(folder)) {
      left -= 1
      if (left < 0) return
      const path = join(folder, entry.name)
      if (isProtectedName(entry.name)) found.push(...themselves(path, workspace))
      else if (entry.isDirectory() && depth < DEPTH && entry.name !== 'node_modules') look(path, depth + 1)
    }
  }
  look(workspace, 1)
  return [...found, ...hooks(workspace)]
}

/** Where git keeps this repository: the `.git` folder, or for a worktree or submodule what its `.git` file leads to. */
export function repositoryOf(workspace: string): string[] {
  const at = join(workspace, '.git')
  if (!existsSync(at)) return []
  if (lstatSync(at).isDirectory()) return [at]
  const folder = realPath(resolve(workspace, /^gitdir: (.+)$/m.exec(textOf(at))?.[1]?.trim() ?? '.'))
  const common = textOf(join(folder, 'commondir')).trim()
  return [folder, ...(common === '' ? [] : [realPath(resolve(folder, common))])].filter((path) => path.includes('.git'))
}

/** For a link its target is protected, when that lies in the workspace; elsewhere it cannot be written anyway. */
function themselves(path: string, workspace: string): string[] {
  const real = realPath(path)
  return existsSync(real) && isInside(real, workspace) ? [real] : []
}

/** A link or git's configuration can put the hooks elsewhere in the workspace. */
function hooks(workspace: string): string[] {
  const [repository] = repositoryOf(workspace)
  if (repository === undefined) return []
  const configured = /^\s*hookspath\s*=\s*(.+)$/im.exec(textOf(join(repository, 'config')))?.[1]?.trim()
  return [join(repository, 'hooks'), ...(configured === undefined ? [] : [resolve(workspace, configured)])]
    .map(realPath)
    .filter((path) => existsSync(path) && isInside(path, workspace) && path !== workspace)
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8').slice(0, 100_000)
  } catch {
    return ''
  }
}
