import { resolve } from 'node:path'
import { defineConfig } from 'tsdown'
import { englishOnly, filesFoundByUrl, licences, onlyWhatIsNeeded, plainLetters } from './scripts/build.ts'

// Two folders deep, as most of src is: stack traces and paths to agents/, docs/ and bin/ read alike in both.
const out = resolve(import.meta.dirname, 'dist/js')

/** pg asks for it and goes on without. */
const external = ['pg-native']

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
  // Libraries are bundled: hundreds of small files less to open halve the start and take a fifth off the memory.
  deps: {
    neverBundle: external.map((name) => new RegExp(`^${name}(/|$)`)),
    alwaysBundle: new RegExp(`^(?!node:|(${external.join('|')})(/|$))`),
    onlyBundle: false,
  },
  // jsonc-parser's "main" is UMD, whose requires cannot be followed; its "module" can.
  inputOptions: { resolve: { mainFields: ['module', 'main'] } },
  // Every start reads all of it; the licences have a file of their own.
  outputOptions: { comments: false },
  plugins: [englishOnly(), filesFoundByUrl(out), onlyWhatIsNeeded(), plainLetters(), licences('../licences.txt')],
})
