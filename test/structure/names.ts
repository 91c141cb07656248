import { dirname } from 'node:path'
import { each, type Rule } from './rule.ts'
import { ownOf, type Source } from './sources.ts'

const LINES = 300

/** Where an export that nobody imports is found. */
const SWEPT = /^(src|test|bench|scripts)\//

/** Called from outside: bin/troupe.mjs, Vitest and tsdown. */
const ENTRIES =
  /^src\/cli\/main\.ts$|^test\/(runner|soak)\/[a-z.]+\.ts$|^test\/screens\/vitest\.config\.ts$|^bench\/|^scripts\/(build|mutants\/vitest\.config)\.ts$/

export const nameRules: readonly Rule[] = [
  {
    says: 'an exported name has one meaning: one file exports it',
    find: (sources) => {
      const exporters = Map.groupBy(
        ownOf(sources).flatMap(({ file, exports }) =>
          [...new Set(exports.filter(({ handedOn }) => !handedOn).map(({ name }) => name))]
            .filter((name) => name !== 'default')
            .map((name) => ({ name, file })),
        ),
        ({ name }) => name,
      )
      const twice = [...exporters].filter(([, files]) => files.length > 1)
      return twice.map(([name, files]) => `${name}: ${files.map(({ file }) => file).join(', ')}`)
    },
    broken: [
      { 'src/lib/a.ts': 'export const x = 1', 'src/lib/b.ts': 'export function x() {}' },
      { 'src/lib/a.ts': 'export class X {}', 'src/lib/b.ts': 'const a = 1; export { a as X }' },
      { 'src/lib/a.ts': 'interface X {}; export type { X }', 'src/lib/b.ts': 'export const { X } = { X: 1 }' },
    ],
  },
  {
    says: 'what is exported is imported somewhere',
    find: (sources) => {
      const taken = takenOf(sources)
      return sources
        .filter(({ file }) => SWEPT.test(file) && !ENTRIES.test(file))
        .flatMap(({ file, exports }) => unused(file, exports, taken))
    },
    broken: [
      ...each('src/cli/a.ts', 'export const a = 1', 'export interface A {}', 'const a = 1; export { a as b }'),
      { 'src/cli/a.ts': 'export const a = 1; export const b = 2', 'src/cli/b.ts': "import { b } from './a.ts'" },
      { 'src/cli/a.ts': 'export const a = 1', 'src/cli/b.ts': "const { b } = await import('./a.ts')" },
    ],
  },
  {
    says: 'an index hands on only what others take from it',
    find: (sources) => {
      const taken = takenOf(sources)
      return ownOf(sources)
        .filter(({ file }) => /^src\/core\/[^/]+\/index\.ts$/.test(file))
        .flatMap(({ file, exports }) => unused(file, exports, taken))
    },
    broken: [
      { 'src/core/base/index.ts': "export { a } from './a.ts'", 'src/http/a.ts': "import '../core/base/index.ts'" },
      { 'src/core/base/index.ts': "export type { a } from './a.ts'", 'src/http/a.ts': 'export const a = 1' },
    ],
  },
  {
    says: 'no file lies beside a folder of its name',
    find: (sources) => {
      const files = sources.map(({ file }) => file).filter((file) => file.startsWith('src/'))
      const folders = new Set(files.map((file) => dirname(file)))
      return files.filter((file) => folders.has(file.replace(/\.ts$/, '')))
    },
    broken: [{ 'src/lib/net.ts': '', 'src/lib/net/a.ts': '' }],
  },
  {
    says: 'no file is longer than one can read in one go',
    find: (sources) =>
      sources
        .filter(({ file }) => !file.endsWith('.test.ts'))
        .map(({ file, text }) => ({ file, lines: text.split('\n').length - 1 }))
        .filter(({ lines }) => lines > LINES)
        .map(({ file, lines }) => `${file}: ${lines}`),
    broken: each('src/lib/a.ts', '\n'.repeat(LINES + 1)),
  },
  {
    says: 'words that say nothing name no file',
    find: (sources) =>
      ownOf(sources)
        .map(({ file }) => file)
        .filter((file) => /\b(utils?|helpers?|managers?|services?)\b/.test(file)),
    broken: [...each('src/lib/utils.ts', ''), ...each('src/lib/helpers/a.ts', '')],
  },
]

const takenOf = (sources: readonly Source[]): Set<string> =>
  new Set(sources.flatMap(({ imports }) => imports.flatMap(({ to, names }) => names.map((name) => `${to}#${name}`))))

const unused = (file: string, exports: Source['exports'], taken: ReadonlySet<string>): string[] =>
  taken.has(`${file}#*`)
    ? []
    : [...new Set(exports.map(({ name }) => name))]
        .filter((name) => !taken.has(`${file}#${name}`))
        .map((name) => `${file}: ${name}`)
