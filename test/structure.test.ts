import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { expect, test } from 'vitest'
import { WaitKind } from '../src/contract/calls.ts'
import { kinds } from '../src/core/waits/kinds.ts'
import { builtInTools } from '../src/tools/index.ts'

const root = resolve(import.meta.dirname, '..')
const LINES = 300

interface Import {
  /** A file of ours, relative to the project, or the name of a package. */
  readonly to: string
  readonly typeOnly: boolean
}

const sources = filesUnder('src')
const own = sources.filter((file) => !file.endsWith('.test.ts'))
const imports = new Map(sources.map((file) => [file, importsOf(file)]))

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
/** The one command that is the server itself. */
const exceptions = new Set(['src/cli/commands/up.ts → src/app.ts'])

test('folders import only what the design lets them', () => {
  const broken = own.flatMap((file) => {
    const folder = folderOf(file)
    if (folder === 'app.ts') return []
    return imports
      .get(file)!
      .filter(({ to }) => to.startsWith('src/') && folderOf(to) !== folder)
      .filter(({ to }) => !allowed[folder]?.includes(folderOf(to)) && !exceptions.has(`${file} → ${to}`))
      .map(({ to }) => `${file} → ${to}`)
  })
  expect(broken).toEqual([])
})

/** Nobody imports a noun to the right of its own. */
const order = [
  'base',
  'config',
  'spending',
  'permissions',
  'sessions',
  'inbox',
  'waits',
  'mail',
  'tasks',
  'turns',
  'steering',
  'timers',
  'why',
  'server',
]

test('every file of core belongs to a noun', () => {
  const nouns = own.flatMap((file) => (folderOf(file) === 'core' ? [nounOf(file) ?? file] : []))
  expect([...new Set(nouns)].toSorted()).toEqual(order.toSorted())
})

test('the nouns of core stand in an order in which nobody imports upward', () => {
  const broken = own.flatMap((file) => {
    const noun = nounOf(file)
    if (noun === undefined) return []
    return imports
      .get(file)!
      .filter(({ to }) => order.indexOf(nounOf(to) ?? '') > order.indexOf(noun))
      .map(({ to }) => `${file} → ${to}`)
  })
  expect(broken).toEqual([])
})

test('a noun of core is entered by its index', () => {
  const broken = own.flatMap((file) =>
    imports
      .get(file)!
      .filter(({ to }) => nounOf(to) !== undefined && nounOf(to) !== nounOf(file) && !to.endsWith('/index.ts'))
      .map(({ to }) => `${file} → ${to}`),
  )
  expect(broken).toEqual([])
})

test('an index only names what others use', () => {
  const doors = own.filter((file) => /^src\/core\/[^/]+\/index\.ts$/.test(file))
  expect(
    doors.filter(
      (file) =>
        code(file)
          .replace(/export (type )?\{[^}]*\} from '[^']+'/g, '')
          .trim() !== '',
    ),
  ).toEqual([])
  const unused = doors.flatMap((file) => {
    const users = [...imports].filter(([, list]) => list.some(({ to }) => to === file)).map(([user]) => code(user))
    return exportsOf(file)
      .filter((name) => !users.some((text) => new RegExp(`\\b${name}\\b`).test(text)))
      .map((name) => `${file}: ${name}`)
  })
  expect(unused).toEqual([])
})

test('no file lies beside a folder of its name', () => {
  const folders = new Set(sources.map(dirname))
  expect(sources.filter((file) => folders.has(file.replace(/\.ts$/, '')))).toEqual([])
})

test('the words depend on zod alone', () => {
  const broken = own
    .filter((file) => folderOf(file) === 'contract')
    .flatMap((file) =>
      imports
        .get(file)!
        .filter(({ to }) => !to.startsWith('src/') && to !== 'zod')
        .map(({ to }) => `${file} → ${to}`),
    )
  expect(broken).toEqual([])
})

test('a browser can run the client: it imports no package and no part of Node', () => {
  const broken = own
    .filter((file) => folderOf(file) === 'client')
    .flatMap((file) =>
      imports
        .get(file)!
        .filter(({ to, typeOnly }) => !typeOnly && !to.startsWith('src/client/'))
        .map(({ to }) => `${file} → ${to}`),
    )
  expect(broken).toEqual([])
  const ofNode = /\b(process|Buffer|NodeJS|require)\b/
  expect(own.filter((file) => folderOf(file) === 'client' && ofNode.test(code(file)))).toEqual([])
})

test('no file imports itself by a detour', () => {
  expect(cycles()).toEqual([])
})

test('imports of ours name the file, and it is there', () => {
  const known = new Set([...sources, ...filesUnder('test'), ...filesUnder('bench'), ...filesUnder('scripts')])
  const broken = sources.flatMap((file) =>
    imports
      .get(file)!
      .filter(({ to }) => to.startsWith('src/') && !known.has(to))
      .map(({ to }) => `${file} → ${to}`),
  )
  expect(broken).toEqual([])
})

test('no file is longer than one can read in one go', () => {
  const long = [...own, ...filesUnder('test'), ...filesUnder('bench'), ...filesUnder('scripts')]
    .filter((file) => !file.endsWith('.test.ts'))
    .map((file) => ({ file, lines: read(file).split('\n').length - 1 }))
    .filter(({ lines }) => lines > LINES)
  expect(long).toEqual([])
})

test('only app.ts and the command line read the environment', () => {
  const broken = own.filter(
    (file) => folderOf(file) !== 'cli' && file !== 'src/app.ts' && /\bprocess\.env\b/.test(code(file)),
  )
  expect(broken).toEqual([])
})

test('the command line prints in one place, which cleans the text; the chat draws its frame in another', () => {
  const writers = own.filter((file) => /\b(std(out|err)|output)\.write\(|\bconsole\./.test(code(file)))
  expect(writers).toEqual(['src/cli/chat/frame.ts', 'src/cli/chat/terminal.ts', 'src/cli/screen.ts'])
  // The screen writes line ends only, and print.ts whatever `forTerminal` left.
  expect(code('src/cli/screen.ts').match(/output\.write\(.*/g)).toEqual(["output.write('\\n')", "output.write('\\n')"])
  expect(code('src/cli/print.ts').match(/stream\.write\(.*/g)).toEqual(['stream.write(forTerminal(text))'])
})

test('only store writes SQL, only lib starts processes, only core opens transactions', () => {
  const found = (pattern: RegExp, ...folders: string[]) =>
    own.filter((file) => !folders.includes(folderOf(file)) && pattern.test(code(file)))
  expect(found(/from 'kysely'|\.(selectFrom|insertInto|updateTable|deleteFrom)\(/, 'store')).toEqual([])
  expect(found(/'node:sqlite'|'pg'/, 'store', 'lib')).toEqual([])
  expect(found(/'node:child_process'/, 'lib')).toEqual([])
  // The store has a thread for long reads.
  expect(found(/'node:worker_threads'/, 'lib', 'store')).toEqual([])
  expect(found(/store\.write\(/, 'core', 'store', 'engines')).toEqual([])
})

test('nothing above store asks which database it is', () => {
  // The command line reads it in the answer of the API, and shows it.
  const above = own.filter((file) => !['store', 'cli'].includes(folderOf(file)))
  expect(above.filter((file) => /\bstore\.(about\.)?kind\b|\bisPostgres\b/.test(code(file)))).toEqual([])
})

test('a runtime is found by the kind that the agent names', () => {
  const knows = new Set(['src/app.ts', 'src/core/config/runtimes.ts'])
  expect(
    own.filter((file) => !knows.has(file) && /\w\.runtimes\b|\bruntimes[?!]*(\[|\.(?!ts'))/.test(code(file))),
  ).toEqual([])
})

test("a session's state is written by its owner in core and by the leases in store, and by nobody else", () => {
  const owner = 'src/core/sessions/row.ts'
  const declared = /interface SessionState \{([^}]*)\}/.exec(code('src/store/session-tables.ts'))?.[1] ?? ''
  const lines = declared.split('\n').flatMap((line) => line.trim() || [])
  const columns = lines.map((line) => /^readonly (\w+):/.exec(line)?.[1] ?? line)
  // Read-only, so the compiler refuses an assignment wherever it knows the row.
  expect(columns.toSorted()).toEqual([
    ...['attempts', 'closed_at', 'deleted_at', 'fence', 'lease_owner', 'lease_until'],
    ...['reason', 'signal', 'status', 'stopped_by', 'turn_id', 'wanted_at'],
  ])
  const column = `(${columns.join('|')})`
  const assigned = new RegExp(`\\.${column}\\s*([-+*/]|\\?\\?|\\|\\||&&)?=(?![=>])`)
  const merged = new RegExp(`Object\\.assign\\(\\w+,[^)]*\\b${column}\\b`)
  const having = (pattern: RegExp) => own.filter((file) => pattern.test(code(file)))
  const writers = [...having(assigned), ...having(merged)].filter((file) =>
    ['core', 'engines'].includes(folderOf(file)),
  )
  expect([...new Set(writers)]).toEqual([owner])
  expect(having(/\binsertSession\b/)).toEqual([owner, 'src/store/sessions.ts'])
  expect(having(/\bupdateSession\b/)).toEqual(['src/core/base/transaction.ts', 'src/store/sessions.ts'])
  expect(having(/updateTable\('sessions'\)/)).toEqual(['src/store/leases.ts', 'src/store/sessions.ts'])
})

test('what begins and ends a session is recorded in one place', () => {
  for (const type of ['session.created', 'session.closed', 'session.deleted', 'turn.started', 'turn.ended']) {
    const found = own.flatMap((file) =>
      code(file)
        .split(`record('${type}'`)
        .slice(1)
        .map(() => file),
    )
    expect({ type, found }).toEqual({ type, found: ['src/core/sessions/row.ts'] })
  }
})

const waitNames = WaitKind.options.join('|')

test('every kind of wait has its place in the table, and only core/waits asks which kind a call waits for', () => {
  expect(Object.keys(kinds).toSorted()).toEqual(WaitKind.options.toSorted())
  const compares = new RegExp(`(?:[!=]==? *|\\bcase )'(?:${waitNames})'|'(?:${waitNames})' *[!=]==?`)
  const askers = own
    // The command line sees inbox items, which have kinds of their own.
    .filter((file) => folderOf(file) !== 'cli' && nounOf(file) !== 'waits')
    .flatMap((file) =>
      code(file)
        .split('\n')
        .filter((line) => compares.test(line) && /\bkind\b|\bcase\b/.test(line))
        .map((line) => `${file}: ${line.trim()}`),
    )
  expect(askers).toEqual([])
})

test('core knows no tool by its name', () => {
  const names = builtInTools.map(({ name }) => name).join('|')
  const compares = new RegExp(`(?:[!=]==? *|\\bcase )'(?:${names})'|'(?:${names})' *[!=]==?`)
  expect(own.filter((file) => folderOf(file) === 'core' && compares.test(code(file)))).toEqual([])
})

test('an exported name has one meaning: one file exports it', () => {
  const exporters = Map.groupBy(
    own.flatMap((file) =>
      [...new Set([...code(file).matchAll(DECLARED)].map(([, name = '']) => name))].map((name) => ({ name, file })),
    ),
    ({ name }) => name,
  )
  const twice = [...exporters].filter(([, files]) => files.length > 1)
  expect(twice.map(([name, files]) => `${name}: ${files.map(({ file }) => file).join(', ')}`)).toEqual([])
})

test('words that say nothing name no file', () => {
  expect(own.filter((file) => /\b(utils?|helpers?|managers?|services?)\b/.test(file))).toEqual([])
})

function filesUnder(folder: string): string[] {
  const found = readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
  return found
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort()
}

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}

/** Without comments, which may speak of what the code may not do. */
function code(file: string): string {
  return read(file)
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/^\s*\/\/.*$/gm, '')
}

function importsOf(file: string): Import[] {
  const statements = code(file).matchAll(/^(?:import|export)\b(?:[^'";]*?\bfrom)?\s*'([^']+)'/gm)
  return [...statements].map(([statement, specifier = '']) => ({
    to: specifier.startsWith('.') ? join(dirname(file), specifier).split(sep).join('/') : specifier,
    typeOnly: /^(?:import|export) type\b/.test(statement) || /^import \{(\s*type [^,}]+,?)+\s*\}/.test(statement),
  }))
}

const DECLARED = /^export (?:async )?(?:const|function\*?|class|interface|type)\s+(\w+)/gm

const folderOf = (file: string): string => file.split('/')[1] ?? ''

const nounOf = (file: string): string | undefined => /^src\/core\/([^/]+)\//.exec(file)?.[1]

/** The names that an index hands on. */
const exportsOf = (file: string): string[] =>
  [...code(file).matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, names = '']) =>
    names
      .split(',')
      .map((name) => name.trim().replace(/^type /, ''))
      .filter((name) => name !== ''),
  )

/** Each cycle of imports that are there when the program runs, once. */
function cycles(): string[] {
  const state = new Map<string, 'open' | 'done'>()
  const path: string[] = []
  const found: string[] = []
  const visit = (file: string): void => {
    if (state.get(file) === 'done') return
    if (state.get(file) === 'open') {
      found.push([...path.slice(path.indexOf(file)), file].join(' → '))
      return
    }
    state.set(file, 'open')
    path.push(file)
    for (const { to, typeOnly } of imports.get(file) ?? []) if (!typeOnly) visit(to)
    path.pop()
    state.set(file, 'done')
  }
  for (const file of own) visit(file)
  return found
}
