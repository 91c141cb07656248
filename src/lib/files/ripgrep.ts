import { existsSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Variables } from '../process/environment.ts'
import { startGuarded } from '../process/processes.ts'
import { findProgram } from '../process/programs.ts'
import { isInside } from './files.ts'
import { shownName } from './paths.ts'
import type { SearchRequest, SearchResult } from './search.ts'
import { openFolderInside } from './workspace-files.ts'

type GrepRequest = Extract<SearchRequest, { kind: 'grep' }>

/** Where ripgrep is on the given PATH, if anywhere. */
export const findRipgrep = (env: Variables): string | undefined => findProgram('rg', env)

/** Does the work of `search` with ripgrep. Its patterns take linear time, so a timeout is enough of a guard. */
export async function ripgrep(
  program: string,
  request: GrepRequest,
  env: Variables,
  signal: AbortSignal,
): Promise<SearchResult> {
  signal.throwIfAborted()
  const root = await openFolderInside(request.root, '.')
  const output = lineCollector(request.limit, () => child.end())
  let timedOut = false
  const child = startGuarded({
    program: [program, ...argumentsFor(request)],
    cwd: root.path,
    env,
    onOutput: output.push,
  })
  const timeout = setTimeout(() => {
    timedOut = true
    child.end()
  }, request.limitMs)
  const onAbort = () => child.end()
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    const { exitCode } = await child.ended
    signal.throwIfAborted()
    // 0: found, 1: nothing found, 2: the pattern or something else is wrong, and the output says what.
    if (exitCode === 2 && !output.full && !timedOut) throw new Error(output.rest().trim())
    const lines = await insideOnly(request, output.lines)
    const stopped = output.full ? 'limit' : timedOut ? 'time' : undefined
    return { lines, files: 0, ignored: 0, ...(stopped && { stopped }) }
  } finally {
    clearTimeout(timeout)
    signal.removeEventListener('abort', onAbort)
    await root.handle.close()
  }
}

function argumentsFor(request: GrepRequest): string[] {
  const ignoring = request.includeIgnored || request.file !== undefined ? ['--no-ignore'] : gitignores(request)
  return [
    ...[
      '--no-config',
      '--no-heading',
      '--with-filename',
      '--line-number',
      '--color=never',
      '--no-messages',
      '--hidden',
    ],
    ...['--max-columns=300', '--max-columns-preview', '--max-filesize=10M', '--sort=path', '--null'],
    ...ignoring,
    ...(request.ignoreCase ? ['--ignore-case'] : []),
    // The glob is passed as a file type, because --glob would also bring back what is ignored.
    ...(request.glob === undefined ? [] : [`--type-add=asked:${request.glob}`, '--type=asked']),
    ...['.git', ...request.hidden.map((path) => `/${path}`)].map((path) => `--glob=!${path}`),
    `--regexp=${request.pattern}`,
    '--',
    `./${request.file ?? request.from.join('/')}`,
  ]
}

/**
 * In a repository ripgrep reads the ignore files that git would. Elsewhere we tell it to read .gitignore files too, but
 * none above the root: a person's home folder may well ignore everything.
 */
function gitignores({ root, from }: GrepRequest): string[] {
  for (let folder = root; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return []
    if (folder === dirname(folder)) break
  }
  const ours = existsSync(join(root, '.gitignore')) && from.length > 0 ? ['--ignore-file=.gitignore'] : []
  return ['--no-require-git', '--no-ignore-parent', ...ours]
}

function lineCollector(limit: number, onFull: () => void) {
  const lines: string[] = []
  let rest = ''
  const collector = {
    lines,
    full: false,
    /** What is no record, such as a complaint. */
    rest: () => rest,
    push(text: string) {
      if (collector.full) return
      // A record ends with a line break behind its NUL; one before the NUL belongs to the name.
      const records = (rest + text).match(record) ?? []
      rest = (rest + text).slice(records.join('').length)
      lines.push(...records.slice(0, limit - lines.length))
      if (lines.length < limit || records.length === 0) return
      collector.full = true
      onFull()
    },
  }
  return collector
}

const record = /[^\0]*\0[^\n]*\n/g
/** `./path<NUL>12:text`, maybe behind remarks about binary files. */
const fields = /^(?:[^\0]*\n)?\.\/(?<path>[^\0]*)\0(?<line>\d+):(?<text>.*)\n$/s

/** ripgrep does not follow links, but a link may have been swapped in while it ran. */
async function insideOnly({ root, hidden }: GrepRequest, lines: readonly string[]): Promise<string[]> {
  const good = new Map<string, boolean>()
  const kept: string[] = []
  for (const line of lines) {
    const { path, line: number, text } = fields.exec(line)?.groups ?? {}
    if (path === undefined) continue
    if (!good.has(path)) good.set(path, await isOurs(path))
    if (good.get(path)) kept.push(`${shownName(path)}:${number}: ${text}`.toWellFormed())
  }
  return kept

  async function isOurs(path: string): Promise<boolean> {
    // A name that is no text cannot be looked up; the folder that it is in can.
    const known = path.replace(/[^/]*\ufffd.*$/s, '')
    const real = await realpath(join(root, known)).catch(() => undefined)
    return real !== undefined && isInside(real, root) && !hidden.some((one) => isInside(real, join(root, one)))
  }
}
