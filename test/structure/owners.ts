import { each, type Rule } from './rule.ts'
import { type ESTree, folderOf, look, nameOf, ownOf, type Source, textIn } from './sources.ts'

const except = (sources: readonly Source[], ...folders: readonly string[]): Source[] =>
  ownOf(sources).filter(({ file }) => !folders.includes(folderOf(file)))

/** The methods of Kysely that begin a query or send it. `with` and the like are seen by the `db` they are called on. */
const queries = new Set([
  ...['selectFrom', 'selectNoFrom', 'insertInto', 'replaceInto', 'updateTable', 'deleteFrom', 'mergeInto'],
  ...['withRecursive', 'executeTakeFirst', 'executeTakeFirstOrThrow', 'executeQuery'],
])

/** The functions of core that open one. */
const opens = new Set(['transact', 'asRunner', 'onSession', 'changing'])

/** The client trusts the routes that the server is checked against: zod is nothing for a browser. The version is our own. */
const trusting = new Set(
  ['client/client.ts', 'client/failure.ts', 'client/live.ts', 'client/tools.ts', 'cli/main.ts'].map(
    (file) => `src/${file}`,
  ),
)

/** Its output is a pipe to the server. */
const piped = 'src/tools/custom/child.ts'
const printers = new Set(
  ['print.ts', 'screen.ts', 'chat/frame.ts', 'chat/terminal.ts'].map((file) => `src/cli/${file}`),
)

export const ownerRules: readonly Rule[] = [
  {
    says: 'only app.ts and the command line read the environment',
    find: (sources) =>
      look(
        except(sources, 'cli').filter(({ file }) => file !== 'src/app.ts'),
        (report) => ({
          MemberExpression: (node) =>
            void (nameOf(node) === 'env' && nameOf(node.object) === 'process' && report(node)),
          VariableDeclarator: (node) => void (nameOf(node.init ?? node.id) === 'process' && report(node)),
          ImportDeclaration: (node) => void (/^(node:)?process$/.test(node.source.value) && report(node)),
        }),
      ),
    broken: each(
      'src/core/base/a.ts',
      'export const home = process.env.HOME',
      "export const home = process['env']",
      'const { env } = process',
      "import { env } from 'node:process'",
    ),
  },
  {
    says: 'what reaches a terminal is written by print.ts, which cleans it, and by the screen and frame of the chat',
    find: (sources) =>
      look(
        ownOf(sources).filter(({ file }) => !printers.has(file) && file !== piped),
        (report) => ({
          MemberExpression: (node) =>
            void (nameOf(node) === 'write' && /^(std(out|err)|output)$/.test(nameOf(node.object)) && report(node)),
          Identifier: (node) => void (node.name === 'console' && report(node)),
        }),
      ),
    broken: each(
      'src/cli/commands/a.ts',
      "process.stdout.write('a')",
      "cli.stderr.write('a')",
      "output.write('a')",
      "console.log('a')",
    ),
  },
  {
    says: 'only questions.ts asks at a terminal, because it cleans the words',
    find: (sources) =>
      look(
        ownOf(sources).filter(({ file }) => file !== 'src/cli/questions.ts'),
        (report) => ({ Literal: (node) => void (/^@clack\//.test(String(node.value)) && report(node)) }),
      ),
    broken: each(
      'src/cli/commands/a.ts',
      "import { text } from '@clack/prompts'",
      "const { text } = await import('@clack/prompts')",
    ),
  },
  {
    says: 'only store writes SQL',
    find: (sources) =>
      look(except(sources, 'store'), (report) => ({
        ImportDeclaration: (node) => void (node.source.value === 'kysely' && report(node)),
        CallExpression({ callee }) {
          if (callee.type !== 'MemberExpression') return
          if (queries.has(nameOf(callee)) || /^(db|trx)$/.test(nameOf(callee.object))) report(callee)
        },
        TaggedTemplateExpression: (node) => void (nameOf(node.tag) === 'sql' && report(node)),
      })),
    broken: each(
      'src/core/base/a.ts',
      "import { sql } from 'kysely'",
      "import type { Kysely } from 'kysely'",
      "export const all = (tx: Tx) => tx.db.selectFrom('a')",
      "export const all = (tx: Tx) => tx.db.with('a', b)",
      "export const all = (tx: Tx) => tx.db['mergeInto']('a')",
      "export const all = (store: Store) => store.read\n.mergeInto('a')",
      'export const all = sql`select 1`',
    ),
  },
  {
    says: 'only core opens transactions',
    find: (sources) =>
      look(except(sources, 'core', 'store'), (report) => ({
        CallExpression: (node) => void ((opens.has(nameOf(node.callee)) || writesRows(node)) && report(node)),
        MemberExpression: (node) => void (nameOf(node) === 'write' && nameOf(node.object) === 'store' && report(node)),
        VariableDeclarator: (node) => void (takes(node, 'store', 'write') && report(node)),
      })),
    broken: each(
      'src/http/a.ts',
      'export const a = (core: Core) => core.store.write(b)',
      'export const a = (store: Store) => store\n  .write(b)',
      'const { write } = core.store',
      'export const a = ({ rows }: Parts) => rows.write(async (db) => b(db))',
      'export const a = (core: Core) => transact(core, b)',
      "export const a = (core: Core) => onSession(core, id, 'b', c)",
    ),
  },
  {
    says: 'nothing above store asks which database it is',
    find: (sources) =>
      // The command line reads it in the answer of the API, and shows it.
      look(except(sources, 'store', 'cli'), (report) => ({
        MemberExpression(node) {
          const { object } = node
          if (nameOf(node) !== 'kind') return
          const about = nameOf(object) === 'about' && object.type === 'MemberExpression' ? object.object : object
          if (nameOf(about) === 'store') report(node)
        },
        VariableDeclarator: (node) =>
          void ((takes(node, 'store', 'kind') || takes(node, 'about', 'kind')) && report(node)),
        Identifier: (node) => void (node.name === 'isPostgres' && report(node)),
      })),
    broken: each(
      'src/core/base/a.ts',
      'export const a = (core: Core) => core.store.kind',
      'export const a = (core: Core) => core.store.about.kind',
      'const { kind } = core.store.about',
      'export const a = (store: Store) => isPostgres(store)',
    ),
  },
  {
    says: 'a runtime is found by the kind that the agent names',
    find: (sources) => {
      const knows = new Set(['src/app.ts', 'src/core/config/runtimes.ts'])
      return look(
        ownOf(sources).filter(({ file }) => !knows.has(file)),
        (report) => ({
          MemberExpression: (node) =>
            void ((nameOf(node) === 'runtimes' || nameOf(node.object) === 'runtimes') && report(node)),
        }),
      )
    },
    broken: each(
      'src/core/turns/a.ts',
      'export const a = (core: Core) => core.runtimes.model',
      'export const a = (runtimes: Runtimes) => runtimes.model',
      "export const a = (runtimes: Runtimes) => runtimes?.['model']",
    ),
  },
  {
    says: 'what begins and ends a session is recorded in one place',
    find: (sources) => {
      const owned = ['session.created', 'session.closed', 'session.deleted', 'turn.started', 'turn.ended']
      return look(
        ownOf(sources).filter(({ file }) => file !== 'src/core/sessions/row.ts'),
        (report) => ({
          CallExpression: (node) =>
            void (nameOf(node.callee) === 'record' && owned.includes(textIn(node.arguments[0]) ?? '') && report(node)),
        }),
      )
    },
    broken: each(
      'src/core/turns/a.ts',
      "tx.record('turn.ended', about, {})",
      "tx.record(\n  'session.closed',\n  about,\n)",
      'record(`session.created`, about)',
    ),
  },
  {
    says: 'a test gets its temporary folders from the kit',
    find: (sources) =>
      look(
        // What runs the tests has no test around it.
        sources.filter(({ file }) => /^test\/(?!runner\/|kit\/files\.ts)|\.test\.ts$/.test(file)),
        (report) => ({
          CallExpression: (node) =>
            void (/^mkdtemp/.test(nameOf(node.callee)) && node.arguments.some(isShared) && report(node)),
        }),
      ),
    broken: [
      ...each('src/lib/a.test.ts', "const folder = mkdtempSync(join(tmpdir(), 'a-'))"),
      ...each('test/kit/a.ts', "const folder = await fs.mkdtemp(os.tmpdir() + '/a')"),
    ],
  },
  {
    says: 'the answers of the API have the types that the contract gives them: nobody casts them',
    find: (sources) =>
      look(
        ownOf(sources).filter(({ file }) => ['cli', 'client'].includes(folderOf(file)) && !trusting.has(file)),
        (report) => ({ TSAsExpression: (node) => void (isAnswer(node.expression) && report(node)) }),
      ),
    broken: each(
      'src/cli/a.ts',
      "const session = (await client.call('GET /api/sessions/{ref}')) as Session",
      "const sessions = (await client.all('GET /api/sessions')) as unknown as Session[]",
      "const { items } = (await client.call('GET /api/sessions')).items as Session[]",
      'const body = JSON.parse(text) as Session',
      'const body = (await response.json()) as Session',
    ),
  },
]

/** `anything.write((db) => …)` */
const writesRows = ({ callee, arguments: [work] }: ESTree.CallExpression): boolean =>
  nameOf(callee) === 'write' &&
  (work?.type === 'ArrowFunctionExpression' || work?.type === 'FunctionExpression') &&
  work.params.some((param) => param.type === 'Identifier' && param.name === 'db')

/** Below the folder of all temporary files. */
function isShared(node: ESTree.Node): boolean {
  if (node.type === 'BinaryExpression') return isShared(node.left) || isShared(node.right)
  return node.type === 'CallExpression' && (nameOf(node.callee) === 'tmpdir' || node.arguments.some(isShared))
}

/** `const { property } = from` */
const takes = ({ id, init }: ESTree.VariableDeclarator, from: string, property: string): boolean =>
  id.type === 'ObjectPattern' &&
  init !== null &&
  nameOf(init) === from &&
  id.properties.some((found) => found.type === 'Property' && nameOf(found.key) === property)

const answers = new Set(['call', 'all', 'snapshot', 'json', 'parse', 'fetch', 'request'])

/** What a server or a file said, as it is. */
function isAnswer(node: ESTree.Node): boolean {
  switch (node.type) {
    case 'AwaitExpression':
      return isAnswer(node.argument)
    case 'ConditionalExpression':
      return isAnswer(node.consequent) || isAnswer(node.alternate)
    case 'MemberExpression':
      return isAnswer(node.object)
    case 'TSAsExpression':
    case 'TSNonNullExpression':
    case 'ParenthesizedExpression':
    case 'ChainExpression':
      return isAnswer(node.expression)
    case 'CallExpression':
      return answers.has(nameOf(node.callee))
    default:
      return false
  }
}
