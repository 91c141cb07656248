import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import type { Plugin, PluginContext } from 'rolldown'

const sources = resolve(import.meta.dirname, '../src')

/**
 * Keeps `new URL('./…', import.meta.url)` working from the chunks: a module of src becomes an entry, another file of
 * src is copied beside the chunks, and a file outside src keeps its place.
 */
export function filesFoundByUrl(out: string): Plugin {
  const pattern = /(?<=new URL\(([`'"]))\.{1,2}\/[^`'"]+(?=\1, import\.meta\.url\))/g
  return {
    name: 'files-found-by-url',
    transform: {
      filter: { id: { include: /\/src\/.*\.ts$/, exclude: /node_modules/ }, code: 'import.meta.url' },
      handler(code, id) {
        return code.replace(pattern, (path) => {
          const file = resolve(dirname(id), path)
          return file.startsWith(sources + sep) ? carryAlong(this, file) : relative(out, file)
        })
      },
    },
  }
}

function carryAlong(build: PluginContext, file: string): string {
  const name = basename(file)
  if (!name.endsWith('.ts')) {
    build.emitFile({ type: 'asset', fileName: name, source: readFileSync(file) })
    return `./${name}`
  }
  const fileName = name.replace(/\.ts$/, '.js')
  build.emitFile({ type: 'chunk', id: file, fileName })
  return `./${fileName}`
}

/** Bundles zod's messages in English only: all fifty languages would be a quarter of what a start has to read. */
export function englishOnly(): Plugin {
  return {
    name: 'english-only',
    resolveId: {
      filter: { id: /\/locales\/index\.js$/ },
      handler: (id, importer) =>
        importer?.includes('/node_modules/zod/') ? resolve(dirname(importer), id, '..', 'en.js') : null,
    },
  }
}

/**
 * Whoever imports node:http as a module reads all that it exports, also its WebSocket, for which Node loads the whole of its
 * fetch: a tenth of a short command. The chunks take what they need from the module itself.
 */
export function onlyWhatIsNeeded(): Plugin {
  const pattern = /^import \{([^}]+)\} from "node:http";$/gm
  const taken = (_: string, names: string): string =>
    `const {${names.replaceAll(' as ', ': ')}} = process.getBuiltinModule("node:http");`
  return {
    name: 'only-what-is-needed',
    generateBundle(_, bundle) {
      for (const part of Object.values(bundle)) if (part.type === 'chunk') part.code = part.code.replace(pattern, taken)
    },
  }
}

/** Node keeps a source in two bytes a letter when one letter of it is not ASCII: the server's would take twice the memory. */
export function plainLetters(): Plugin {
  return {
    name: 'plain-letters',
    generateBundle(_, bundle) {
      for (const part of Object.values(bundle)) if (part.type === 'chunk') part.code = escaped(this, part.code)
    },
  }
}

function escaped(build: PluginContext, code: string): string {
  const raw = /String\.raw`[^`]*[\u0080-\uffff]/.exec(code)
  if (raw) build.error(`An escape in String.raw would be read as it stands: ${raw[0]}`)
  return code.replace(/[\u0080-\uffff]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Libraries ask that their licence comes along with every copy: the program has a file of them, and the page its own. */
export function licences(fileName: string): Plugin {
  return {
    name: 'licences',
    writeBundle({ dir }, bundle) {
      const modules = Object.values(bundle).flatMap((part) => (part.type === 'chunk' ? part.moduleIds : []))
      const folders = new Set(modules.flatMap((id) => packageOf(id) ?? []))
      const notices = [...folders].sort().map(notice)
      writeFileSync(join(dir ?? '.', fileName), `${notices.join(`\n\n${'─'.repeat(80)}\n\n`)}\n`)
    },
  }
}

/** A NUL in front marks what a plugin made of a module. */
const packageOf = (id: string): string | undefined =>
  /^.*\/node_modules\/(@[^/]+\/)?[^/]+/.exec(id.replace('\0', ''))?.[0]

function notice(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const file = readdirSync(folder).find((entry) => /^(licen[cs]e|copying)/i.test(entry))
  const text = file ? readFileSync(join(folder, file), 'utf8').trim() : ''
  return `${name} ${version} (${license})\n\n${text}`.trim()
}
