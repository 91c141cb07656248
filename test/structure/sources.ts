import { readdirSync, readFileSync } from 'node:fs'
import { join, posix, relative, resolve, sep } from 'node:path'
import { type ESTree, parseSync, Visitor, type VisitorObject } from 'rolldown/utils'

export type { ESTree }

export interface Import {
  /** A file of ours, relative to the project, or the name of a package. */
  readonly to: string
  /** Nothing of it is there when the program runs. */
  readonly typeOnly: boolean
  /** What is taken from there; '*' is everything. */
  readonly names: readonly string[]
}

export interface Source {
  readonly file: string
  readonly text: string
  readonly program: ESTree.Program
  readonly imports: readonly Import[]
  /** The names it exports; `handedOn` ones are declared in another file. */
  readonly exports: readonly { readonly name: string; readonly handedOn: boolean }[]
}

const root = resolve(import.meta.dirname, '../..')

/** All our sources, each parsed once. The parser is the bundler's, because TypeScript 7 has no stable one to offer. */
export const readSources = (...folders: readonly string[]): Source[] =>
  folders.flatMap(filesUnder).map((file) => parseSource(file, readFileSync(join(root, file), 'utf8')))

export function parseSource(file: string, text: string): Source {
  const { program, module, errors } = parseSync(file, text)
  if (errors[0]) throw new Error(`${file}: ${errors[0].message}`)
  const imports: Import[] = []
  const add = (specifier: string, typeOnly: boolean, names: readonly string[]) =>
    imports.push({
      to: specifier.startsWith('.') ? posix.join(posix.dirname(file), specifier) : specifier,
      typeOnly,
      names,
    })
  const exported = module.staticExports.flatMap(({ entries }) => entries)
  for (const { moduleRequest, entries } of module.staticImports)
    add(
      moduleRequest.value,
      entries.length > 0 && entries.every(({ isType }) => isType),
      entries.map(({ importName }) => importName.name ?? (importName.kind === 'Default' ? 'default' : '*')),
    )
  for (const { moduleRequest, isType, importName } of exported)
    if (moduleRequest) add(moduleRequest.value, isType, [importName.name ?? '*'])
  const seen = new Set<ESTree.Node>()
  const load = (node: ESTree.Node | null, names: readonly string[]) => {
    const asked = node?.type === 'AwaitExpression' ? node.argument : node
    if (asked?.type !== 'ImportExpression' || seen.has(asked)) return
    seen.add(asked)
    const specifier = textIn(asked.source)
    if (specifier !== undefined) add(specifier, false, names)
  }
  new Visitor({
    VariableDeclarator({ id, init }) {
      const properties = id.type === 'ObjectPattern' ? id.properties : []
      const names = properties.map((found) => (found.type === 'Property' ? nameOf(found.key) : '*'))
      load(init, names.length > 0 ? names : ['*'])
    },
    MemberExpression: (node) => load(node.object, nameOf(node) === 'then' ? ['*'] : [nameOf(node)]),
    // What is only handed on is a command, which has a default export.
    ImportExpression: (node) => load(node, ['default']),
    TSImportType: ({ source, qualifier }) => add(source.value, true, [qualifier ? nameOf(qualifier) : '*']),
  }).visit(program)
  return {
    file,
    text,
    program,
    imports,
    exports: exported.map(({ exportName, moduleRequest }) => ({
      name: exportName.name ?? (exportName.kind === 'Default' ? 'default' : '*'),
      handedOn: moduleRequest !== null,
    })),
  }
}

/** Calls the visitor for each source, and collects what it reports as `file: the code there`. */
export function look(
  sources: readonly Source[],
  visitor: (report: (node: ESTree.Node) => void, source: Source) => VisitorObject,
): string[] {
  return sources.flatMap((source) => {
    const found = new Set<string>()
    const report = ({ start, end }: ESTree.Node) =>
      found.add(`${source.file}: ${source.text.slice(start, end).replace(/\s+/g, ' ').slice(0, 120)}`)
    new Visitor(visitor(report, source)).visit(source.program)
    return [...found]
  })
}

/** The files of src that are part of the program. */
export const ownOf = (sources: readonly Source[]): Source[] =>
  sources.filter(({ file }) => file.startsWith('src/') && !file.endsWith('.test.ts'))

export const folderOf = (file: string): string => (file.startsWith('src/') ? (file.split('/')[1] ?? '') : '')

export const nounOf = (file: string): string | undefined => /^src\/core\/([^/]+)\//.exec(file)?.[1]

/** The last word of `a.b.c`, also of `a.b['c']`; empty for what has no name. */
export function nameOf(node: ESTree.Node): string {
  if (node.type === 'Identifier') return node.name
  if (node.type === 'ChainExpression' || node.type === 'TSNonNullExpression') return nameOf(node.expression)
  if (node.type === 'TSQualifiedName') return nameOf(node.left)
  if (node.type !== 'MemberExpression') return ''
  if (!node.computed) return node.property.name
  return textIn(node.property) ?? ''
}

/** The text of a literal. */
export function textIn(node: ESTree.Node | null | undefined): string | undefined {
  if (node?.type === 'Literal' && typeof node.value === 'string') return node.value
  return node?.type === 'TemplateLiteral' && node.expressions.length === 0
    ? (node.quasis[0]?.value.cooked ?? undefined)
    : undefined
}

function filesUnder(folder: string): string[] {
  const found = readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
  return found
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort()
}
