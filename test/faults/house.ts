import { symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build } from 'rolldown'
import { englishOnly, filesFoundByUrl } from '../../scripts/build.ts'

const repository = resolve(import.meta.dirname, '../..')

/** Puts keep-house.ts there as one file: to load the sources, as each kill has them loaded anew, takes three times as long. */
export async function bundleHouse(folder: string): Promise<string> {
  for (const part of ['agents', 'node_modules', 'package.json']) symlinkSync(join(repository, part), join(folder, part))
  const out = join(folder, 'dist', 'js')
  await build({
    input: { house: join(import.meta.dirname, 'keep-house.ts') },
    platform: 'node',
    external: 'pg-native',
    // As in tsdown.config.ts.
    resolve: { mainFields: ['module', 'main'] },
    plugins: [englishOnly(), filesFoundByUrl(out)],
    output: { dir: out, format: 'esm', entryFileNames: '[name].js', chunkFileNames: '[name].js' },
    logLevel: 'silent',
  })
  return join(out, 'house.js')
}
