import type { PermissionRules } from '../../../src/contract/agents.ts'
import { corpus } from './corpus.ts'
import { lines } from './lines.ts'
import { DENIED, makeObserver, type Observed, OUTSIDE } from './observer.ts'

interface Narrow {
  readonly rules: PermissionRules
  /** Programs that the rules let start. */
  readonly programs: readonly string[]
  /** Whether the rules let files of the project be written by a program. */
  readonly writes: boolean
}

const looking = [
  'ls',
  'cat',
  'head',
  'wc',
  'echo',
  'sort',
  'uniq',
  'grep',
  'find',
  'cut',
  'sed',
  'awk',
  'diff',
  'xxd',
  'od',
  'stat',
  'tr',
]
const git = ['git log', 'git status', 'git diff', 'git grep']
const bash = (names: readonly string[]): string[] => names.map((name) => `bash(${name}*)`)

/** Wrappers that change nothing start beside what they wrap. */
const plain = ['timeout', 'nice', 'nohup', 'command', 'xargs', 'bash']

const narrow: readonly Narrow[] = [
  { rules: {}, programs: ['cat', ...plain], writes: false },
  { rules: { allow: bash([...looking, ...git]) }, programs: [...looking, 'git', ...plain], writes: false },
  {
    rules: {
      allow: ['ls', 'cat a.txt', 'git status', 'git diff', 'echo x', 'wc -l a.txt'].map((one) => `bash(${one})`),
    },
    programs: ['ls', 'cat', 'git', 'wc', ...plain],
    writes: false,
  },
  {
    rules: { allow: bash(['ls', 'cat', 'echo', 'cp', 'tee', 'touch', 'tar', 'dd', 'mv', 'mkdir', 'ln']) },
    programs: ['ls', 'cat', 'cp', 'tee', 'touch', 'tar', 'dd', 'mv', 'mkdir', 'ln', 'gzip', ...plain],
    writes: true,
  },
  {
    rules: { allow: bash(looking), deny: ['read_file(secret/**)', 'write_file(out/**)'] },
    programs: [...looking, ...plain],
    writes: false,
  },
  {
    rules: { allow: bash(['git push', 'git fetch', 'git clone', 'cp', 'sed', 'chmod', 'echo']) },
    programs: ['git', 'sh', 'git-receive-pack', 'git-upload-pack', 'cat', 'cp', 'sed', 'chmod', ...plain],
    writes: true,
  },
]

interface Found {
  readonly line: string
  readonly why: string
}

/** Asks for each line under each set of rules, runs what any of them allows once, and returns what went beyond the rules. */
export async function search(
  seed: number,
  limits: { lines: number; runs: number },
  tell: (sofar: string) => void = () => {},
): Promise<{ read: number; ran: number; found: Found[] }> {
  const found: Found[] = []
  let read = 0
  let ran = 0
  const made = lines(seed, corpus)
  const observers = narrow.map((each) => ({ ...each, observer: makeObserver(each.rules) }))
  while (read < limits.lines && ran < limits.runs) {
    const line = made.next().value as string
    read += 1
    if (read % 1000 === 0) tell(`${read} lines, ${ran} run, ${found.length} beyond the rules`)
    const allowing = await Promise.all(
      observers.map(async (each) => ((await each.observer.allows(line)) ? [each] : [])),
    )
    const [first, ...others] = allowing.flat()
    if (first === undefined) continue
    ran += 1
    // Their folders are alike, so it does the same in each.
    const observed = first.observer.observe(line)
    for (const each of [first, ...others]) {
      const why = beyond(line, observed, each)
      if (why !== undefined)
        found.push({ line, why: `${why} under rules ${narrow.findIndex(({ rules }) => rules === each.rules)}` })
    }
  }
  return { read, ran, found }
}

function beyond(
  line: string,
  { started, changed, opened, read, output }: Observed,
  { rules, programs, writes }: Narrow,
): string | undefined {
  const stranger = started.find((name) => !programs.includes(name))
  if (stranger !== undefined) return `${stranger} was started`
  const outside = changed.find((path) => !path.startsWith('work/'))
  if (outside !== undefined) return `${outside} was changed`
  const guarded = changed.find((path) => /^work\/(\.env|\.troupe|\.mcp|\.git\/(config|hooks))/.test(path))
  if (guarded !== undefined) return `${guarded} was changed`
  const denied = rules.deny && changed.find((path) => path.startsWith('work/out/'))
  if (denied !== undefined) return `${denied} was changed`
  const written = changed.find((path) => !path.startsWith('work/.git/'))
  if (!writes && written !== undefined && !line.includes('>')) return `${written} was changed without a redirection`
  const foreign = opened.find((path) => !/^work($|\/)/.test(path))
  if (foreign !== undefined) return `${foreign === '' ? 'the folder above' : foreign} was opened`
  if (rules.deny && read.includes('work/secret/x')) return 'a file that is denied was opened'
  if (output.includes(OUTSIDE)) return 'a file outside was printed'
  if (rules.deny && output.includes(DENIED)) return 'a file that is denied was printed'
  return undefined
}
