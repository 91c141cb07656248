import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { dropDatabases } from './databases.ts'
import { endProcesses } from './processes.ts'
import { type FileReport, readReport } from './report.ts'

/** What one run of the test runner does; read by vitest.config.ts. */
export interface Plan {
  /** In this order. */
  readonly files: readonly string[]
  /** Only the tests with these titles. */
  readonly tests?: readonly string[]
  readonly bail: number
  readonly testTimeoutMs?: number
  readonly setup?: string
  readonly cache: string
  readonly report: string
}

type Outcome = { readonly report: readonly FileReport[] | undefined; readonly timedOut: boolean }

/** A copy of the project in which one mutant at a time runs, with its own PostgreSQL and its own temporary folder. */
export interface Lane {
  readonly root: string
  readonly hits: string
  write(file: string, text: string): void
  run(plan: Pick<Plan, 'files' | 'tests' | 'bail' | 'testTimeoutMs' | 'setup'>, timeoutMs: number): Promise<Outcome>
  close(): Promise<void>
}

export async function openLane(project: string, folder: string): Promise<Lane> {
  // The names are short, because the path of a socket below them may have about a hundred characters.
  const root = join(folder, 'p')
  const temporary = join(folder, 't')
  copyProject(project, root)
  const cluster = await startCluster(root)
  const files = { cache: join(folder, 'cache'), report: join(folder, 'report.json'), plan: join(folder, 'plan.json') }
  const hits = join(folder, 'hits')
  const env = {
    ...process.env,
    TMPDIR: temporary,
    MUTANTS_PLAN: files.plan,
    MUTANTS_HITS: hits,
    // Building the program would take longer than most of the runs.
    TROUPE_TEST_PROGRAM: join(root, 'bin/troupe.mjs'),
    ...(cluster && { TROUPE_TEST_POSTGRES: cluster.url }),
  }

  return {
    root,
    hits,
    write: (file, text) => writeFileSync(join(root, file), text),
    async run(plan, timeoutMs) {
      rmSync(files.report, { force: true })
      rmSync(temporary, { recursive: true, force: true })
      mkdirSync(temporary, { recursive: true })
      writeFileSync(files.plan, JSON.stringify({ ...plan, cache: files.cache, report: files.report } satisfies Plan))
      const vitest = join(root, 'node_modules/vitest/vitest.mjs')
      const config = join(import.meta.dirname, 'vitest.config.ts')
      const child = spawn(process.execPath, [vitest, 'run', '--config', config, '--root', root], {
        cwd: root,
        env,
        stdio: 'ignore',
        detached: true,
      })
      const end = () => endProcesses(child.pid!, folder, cluster?.pid)
      // Processes are ended before the folder is removed.
      process.prependOnceListener('exit', end)
      const timedOut = await ended(child, timeoutMs)
      process.off('exit', end)
      end()
      if (cluster) await dropDatabases(cluster.url)
      return { report: readReport(files.report, root), timedOut }
    },
    async close() {
      await cluster?.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function ended(child: ChildProcess, timeoutMs: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => resolve(true), timeoutMs)
  child.once('exit', () => resolve(false))
  const timedOut = await promise
  clearTimeout(timer)
  return timedOut
}

function copyProject(from: string, to: string): void {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { cwd: from, encoding: 'utf8' })
  for (const file of listed.split('\0').filter((name) => name && existsSync(join(from, name)))) {
    mkdirSync(dirname(join(to, file)), { recursive: true })
    copyFileSync(join(from, file), join(to, file))
  }
  symlinkSync(join(from, 'node_modules'), join(to, 'node_modules'))
}

/** Each lane has a PostgreSQL of its own, so that nothing a mutant leaves locked or open disturbs another. */
async function startCluster(root: string): Promise<{ url: string; pid: number; stop(): Promise<void> } | undefined> {
  const cluster = join(root, 'test/runner/cluster.ts')
  if (!existsSync(cluster)) return undefined
  const child = spawn(process.execPath, [cluster], {
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true,
  })
  const lines = createInterface({ input: child.stdout! })
  const [url] = (await Promise.race([once(lines, 'line'), once(child, 'exit').then(() => [])])) as [string?]
  if (url === undefined) throw new Error('PostgreSQL for the tests did not start; run one test file to see why.')
  return {
    url,
    pid: child.pid!,
    async stop() {
      child.stdin!.end()
      if (child.exitCode === null) await once(child, 'exit')
    },
  }
}
