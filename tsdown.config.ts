import { readFileSync } from 'node:fs'
import { basename, dirname, relative, resolve, sep } from 'node:path'
import type { Plugin, PluginContext } from 'rolldown'
import { defineConfig } from 'tsdown'

const sources = resolve(import.meta.dirname, 'src')
const out = resolve(import.meta.dirname, 'dist/js')

export default defineConfig({
  entry: { main: 'src/cli/main.ts', app: 'src/app.ts' },
  outDir: out,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  outExtensions: () => ({ js: '.js' }),
  hash: false,
  dts: false,
  report: false,
  plugins: [filesFoundByUrl()],
})

/**
 * What the code finds by `new URL('./…', import.meta.url)` is found from the chunks too: a module of src becomes an
 * entry, another file of src is copied beside the chunks, and what lies outside src keeps its place.
 */
function filesFoundByUrl(): Plugin {
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
