/** Runs after the page is built: puts a .br beside each file of it that gets smaller, for browsers that take it. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'

const folder = resolve(process.argv[2] ?? join(import.meta.dirname, '../dist/web'))
const compressible = /\.(js|css|html|svg|json|webmanifest)$/
/** A smaller file is not worth another one. */
const LEAST = 1024

for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
  const file = join(entry.parentPath, entry.name)
  if (entry.name.endsWith('.br')) rmSync(file)
  else if (entry.isFile() && compressible.test(entry.name)) compress(file, readFileSync(file))
}

function compress(file: string, bytes: Buffer): void {
  if (bytes.length < LEAST) return
  const options = { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }
  const made = brotliCompressSync(bytes, options)
  if (made.length < bytes.length) writeFileSync(`${file}.br`, made)
}
