import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { digest, WHOLE, watched } from './blocks.ts'
import type { Lane } from './lane.ts'

/** What one test file runs of the sources, and how long its tests take. */
export interface Reach {
  readonly file: string
  /** A test of the file fails without any mutant. Such a test can catch nothing and is not among `tests`. */
  readonly failed: boolean
  /** What the file takes apart from its tests: start, imports. */
  readonly seconds: number
  /** The sources it loaded, and digests of what they were then. */
  readonly sources: Readonly<Record<string, string>>
  /** `source#block` */
  readonly blocks: readonly string[]
  /** Hits outside of tests, as numbers of `blocks`. */
  readonly always: readonly number[]
  readonly tests: readonly { readonly title: string; readonly seconds: number; readonly hits: readonly number[] }[]
}

const CACHED_FILES = 1000
const FILE_MS = 120_000
/** How many files share one run of the test runner, which takes a while to start. */
const BATCH = 6

/**
 * Tests that have not changed are looked up in a cache; the others run once, in copies that write down what they run.
 * Sources may have changed since: unchanged blocks keep their keys, and for new blocks the reach is guessed.
 */
export async function collectReach(
  project: string,
  files: {
    readonly sources: readonly string[]
    readonly helpers: readonly string[]
    readonly tests: readonly string[]
  },
  openLanes: () => Promise<readonly Lane[]>,
  say: (line: string) => void,
): Promise<Reach[]> {
  const cache = join(project, 'node_modules/.cache/mutants')
  const text = (file: string) => readFileSync(join(project, file), 'utf8')
  const common = files.helpers.map((file) => `${file}\0${text(file)}`).join('\0')
  const place = (file: string) => join(cache, `${digest(`${common}\0${file}\0${text(file)}`)}.json`)
  const digests = Object.fromEntries(files.sources.map((file) => [file, digest(text(file))]))

  const found = new Map<string, Reach>()
  for (const file of files.tests.filter((name) => existsSync(place(name)))) {
    found.set(file, JSON.parse(readFileSync(place(file), 'utf8')))
  }
  const missing = files.tests.filter((file) => !found.has(file))
  if (missing.length > 0) {
    say(`Which tests run what: ${missing.length} test files are run once to see it.`)
    mkdirSync(cache, { recursive: true })
    const waiting = [...missing]
    await Promise.all(
      (await openLanes()).map(async (lane) => {
        for (const file of files.sources) lane.write(file, watched(text(file), file, lane.hits))
        while (waiting.length > 0) {
          for (const reach of await watch(lane, waiting.splice(0, BATCH), digests)) {
            found.set(reach.file, reach)
            // A failure may be by chance, so it is not kept.
            if (!reach.failed) writeFileSync(place(reach.file), JSON.stringify(reach))
            else say(`  ${reach.file} fails as it is; what fails there is left out.`)
          }
          say(`  ${missing.length - waiting.length} of ${missing.length}`)
        }
        for (const file of files.sources) lane.write(file, text(file))
      }),
    )
    prune(cache)
  }
  return [...found.values()].filter(({ tests }) => tests.length > 0)
}

async function watch(lane: Lane, files: readonly string[], digests: Record<string, string>): Promise<Reach[]> {
  rmSync(lane.hits, { force: true })
  const setup = join(import.meta.dirname, 'setup.ts')
  const { report } = await lane.run({ files, bail: 0, setup }, files.length * FILE_MS)
  const hits = readHits(lane.hits)
  return files.map((file) => {
    const seen = report?.find((one) => one.file === file)
    const { blocks, byTitle } = hits.get(file) ?? { blocks: new Map(), byTitle: new Map() }
    const tests = (seen?.tests ?? [])
      .filter((test) => !test.failed)
      .map(({ title, seconds }) => ({
        title,
        seconds,
        hits: [...(byTitle.get(title) ?? [])],
      }))
    const inTests = tests.reduce((sum, { seconds }) => sum + seconds, 0)
    return {
      file,
      failed: seen === undefined || seen.failed || tests.length === 0,
      seconds: Math.max(0, (seen?.seconds ?? 0) - inTests),
      sources: Object.fromEntries(Object.entries(digests).filter(([source]) => blocks.has(`${source}#${WHOLE}`))),
      blocks: [...blocks.keys()],
      always: [...(byTitle.get('') ?? [])],
      tests,
    }
  })
}

interface Hits {
  /** Block to its number. */
  readonly blocks: Map<string, number>
  readonly byTitle: Map<string, Set<number>>
}

function readHits(path: string): Map<string, Hits> {
  const byFile = new Map<string, Hits>()
  let current: Hits = { blocks: new Map(), byTitle: new Map() }
  let title = ''
  for (const line of existsSync(path) ? readFileSync(path, 'utf8').split('\n') : []) {
    const [kind, file = '', rest = ''] = line.split('\t')
    if (kind === '=') {
      current = byFile.get(file) ?? { blocks: new Map(), byTitle: new Map() }
      byFile.set(file, current)
      title = rest
    } else if (kind === 'T' || kind === 'P') {
      const block = `${file}#${rest}`
      const number = current.blocks.get(block) ?? current.blocks.size
      current.blocks.set(block, number)
      // Another process may outlive a test and writes each hit once, so its hits count for every test.
      const owner = kind === 'P' ? '' : title
      current.byTitle.set(owner, (current.byTitle.get(owner) ?? new Set()).add(number))
    }
  }
  return byFile
}

/** Removes the oldest files when there are too many. */
function prune(cache: string): void {
  const files = readdirSync(cache).map((name) => join(cache, name))
  const byAge = files.map((file) => ({ file, time: statSync(file).mtimeMs })).sort((a, b) => b.time - a.time)
  for (const { file } of byAge.slice(CACHED_FILES)) rmSync(file, { force: true })
}
