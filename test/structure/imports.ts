import { cyclesOf } from './cycles.ts'
import { each, type Rule } from './rule.ts'
import { folderOf, type Import, look, nounOf, ownOf, type Source } from './sources.ts'

/** Which folder of src may import which; `contract` and `lib` import nothing of ours. */
const allowed: Record<string, readonly string[]> = {
  contract: [],
  lib: [],
  store: ['contract', 'lib'],
  core: ['store', 'contract', 'lib'],
  engines: ['core', 'store', 'contract', 'lib'],
  runtimes: ['core', 'contract', 'lib'],
  tools: ['core', 'contract', 'lib'],
  http: ['core', 'contract', 'lib'],
  client: ['contract'],
  cli: ['client', 'contract', 'lib'],
}
/** The commands that are the server itself, or stand in its place. */
const exceptions = new Set(['up', 'restore'].map((command) => `src/cli/commands/${command}.ts → src/app.ts`))

/** What the server and a browser make of events alike. It needs neither zod nor Node. */
const shared = new Set(['src/contract/event-handlers.ts', 'src/contract/fold-board.ts', 'src/contract/remarks.ts'])

/** Nobody imports a noun to the right of its own. */
export const order = [
  ...[
    'base',
    'config',
    'spending',
    'tools',
    'permissions',
    'skills',
    'sessions',
    'files',
    'inbox',
    'channels',
    'mcp',
    'budgets',
    'memory',
    'waits',
  ],
  ...['mail', 'nodes', 'tasks', 'runs', 'hooks', 'clients', 'turns', 'triggers', 'steering', 'timers', 'why', 'server'],
]

const isDoor = (file: string): boolean => /^src\/core\/[^/]+\/index\.ts$/.test(file)

export const importRules: readonly Rule[] = [
  {
    says: 'folders import only what the design lets them',
    find: (sources) =>
      importsWhere(ownOf(sources), ({ file }, { to }) => {
        const [from, folder] = [folderOf(file), folderOf(to)]
        if (file === 'src/app.ts' || folder === '' || folder === from) return false
        return !allowed[from]?.includes(folder) && !exceptions.has(`${file} → ${to}`)
      }),
    broken: each(
      'src/lib/a.ts',
      "import { b } from '../core/b.ts'",
      "import type { B } from '../core/b.ts'",
      "export { b } from '../core/b.ts'",
      "export * from '../core/b.ts'",
      "export const load = () => import('../core/b.ts')",
      "export type B = import('../core/b.ts').B",
      "import '../core/b.ts'",
    ),
  },
  {
    says: 'the page imports nothing of the program but client and contract',
    find: (sources) =>
      importsWhere(
        sources.filter(({ file }) => file.startsWith('web/src/')),
        (_, { to }) => /^(src|test|bench|scripts)\//.test(to) && !['client', 'contract'].includes(folderOf(to)),
      ),
    broken: each(
      'web/src/a.tsx',
      "import { b } from '../../src/core/b.ts'",
      "import type { B } from '../../src/lib/b.ts'",
    ),
  },
  {
    says: 'every file of core belongs to a noun',
    find: (sources) =>
      ownOf(sources)
        .map(({ file }) => file)
        .filter((file) => folderOf(file) === 'core' && !order.includes(nounOf(file) ?? '')),
    broken: [...each('src/core/a.ts', ''), ...each('src/core/things/a.ts', '')],
  },
  {
    says: 'the nouns of core stand in an order in which nobody imports upward',
    find: (sources) =>
      importsWhere(
        ownOf(sources),
        ({ file }, { to }) => nounOf(file) !== undefined && order.indexOf(nounOf(to) ?? '') > rankOf(file),
      ),
    broken: each(
      'src/core/base/a.ts',
      "import { turn } from '../turns/index.ts'",
      "import type { Turn } from '../turns/index.ts'",
      "export const load = () => import('../turns/index.ts')",
    ),
  },
  {
    says: 'a noun of core is entered by its index',
    find: (sources) =>
      importsWhere(
        ownOf(sources),
        ({ file }, { to }) => nounOf(to) !== undefined && nounOf(to) !== nounOf(file) && !isDoor(to),
      ),
    broken: each(
      'src/http/a.ts',
      "import { b } from '../core/base/b.ts'",
      "export type B = import('../core/base/b.ts').B",
      "export const load = () => import('../core/config/agents/index.ts')",
    ),
  },
  {
    says: 'an index only hands on what its noun has',
    find: (sources) =>
      ownOf(sources)
        .filter(({ file }) => isDoor(file))
        .filter(({ program }) =>
          program.body.some((statement) => statement.type !== 'ExportNamedDeclaration' || !statement.source),
        )
        .map(({ file }) => file),
    broken: each('src/core/base/index.ts', 'export const a = 1', "export * from './a.ts'", "import './a.ts'"),
  },
  {
    says: 'the words depend on zod alone',
    find: (sources) =>
      importsWhere(
        ownOf(sources),
        ({ file }, { to }) => folderOf(file) === 'contract' && isPackage(to) && to !== 'zod',
      ),
    broken: each('src/contract/a.ts', "import { join } from 'node:path'", "import type { Db } from 'kysely'"),
  },
  {
    says: 'a browser can run the client: it imports no package and no part of Node',
    find: (sources) => {
      const forBrowsers = (file: string): boolean => folderOf(file) === 'client' || shared.has(file)
      const client = ownOf(sources).filter(({ file }) => forBrowsers(file))
      const ofNode = new Set(['process', 'Buffer', 'NodeJS', 'require'])
      return [
        ...importsWhere(client, (_, { to, typeOnly }) => !typeOnly && !forBrowsers(to)),
        ...look(client, (report) => ({ Identifier: (node) => void (ofNode.has(node.name) && report(node)) })),
      ]
    },
    broken: each(
      'src/client/a.ts',
      "import { join } from 'node:path'",
      "import { Session } from '../contract/sessions.ts'",
      "export const zod = () => import('zod')",
      'export const home = process.cwd()',
      'export type Timer = NodeJS.Timeout',
    ),
  },
  {
    says: 'no file imports itself by a detour, not even for a type',
    find: (sources) => cyclesOf(ownOf(sources)),
    broken: [
      { 'src/lib/a.ts': "import { b } from './b.ts'", 'src/lib/b.ts': "import type { A } from './a.ts'" },
      { 'src/lib/a.ts': "export * from './b.ts'", 'src/lib/b.ts': "export const load = () => import('./a.ts')" },
      {
        'src/lib/a.ts': "import './b.ts'",
        'src/lib/b.ts': "import { c } from './c.ts'",
        'src/lib/c.ts': "export type A = import('./a.ts').A",
      },
    ],
  },
  {
    says: 'imports of ours name the file, and it is there',
    find: (sources) => {
      const known = new Set(sources.map(({ file }) => file))
      return importsWhere(sources, (_, { to }) => !isPackage(to) && to.endsWith('.ts') && !known.has(to))
    },
    broken: each('src/lib/a.ts', "import { b } from './b.ts'", "export const load = () => import('./b.ts')"),
  },
  onlyIn('only store and lib know the databases', ['node:sqlite', 'pg'], ['store', 'lib']),
  onlyIn('only lib starts processes', ['node:child_process', 'child_process'], ['lib']),
  // The store has a thread for long reads.
  onlyIn('only lib and store start threads', ['node:worker_threads', 'worker_threads'], ['lib', 'store']),
]

function onlyIn(says: string, packages: readonly string[], folders: readonly string[]): Rule {
  return {
    says,
    find: (sources) =>
      importsWhere(ownOf(sources), ({ file }, { to }) => packages.includes(to) && !folders.includes(folderOf(file))),
    broken: packages.flatMap((name) =>
      each('src/core/base/a.ts', `import { a } from '${name}'`, `export const load = () => import('${name}')`),
    ),
  }
}

const rankOf = (file: string): number => order.indexOf(nounOf(file) ?? '')

const isPackage = (to: string): boolean => !/^(src|test|bench|scripts)\//.test(to)

const importsWhere = (sources: readonly Source[], isWrong: (source: Source, found: Import) => boolean): string[] =>
  sources.flatMap((source) =>
    source.imports.filter((found) => isWrong(source, found)).map(({ to }) => `${source.file} → ${to}`),
  )
