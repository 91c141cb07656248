import { createReadStream, lstatSync } from 'node:fs'
import { extname, join } from 'node:path'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'

/** Where `npm run build:web` puts the page, and where the package has it. */
export const builtFolder = fileURLToPath(new URL('../../../dist/web', import.meta.url))

/** A file of the built page. It is read anew for each request: the system keeps it in memory, we do not. */
interface BuiltFile {
  readonly headers: Readonly<Record<string, string>>
  open(): ReadableStream
}

/** What begins like this is asked for by programs, now or later, and is never the page. */
const reserved = new Set(['api', 'assets', 'metrics', 'answer', 'v1', 'mcp', 'a2a', 'acp', 'hooks'])

/** Addresses that the page itself makes: it is the same page at all of them. */
export function isOfPage(path: string): boolean {
  const first = path.split('/')[1] ?? ''
  return !first.startsWith('.') && !reserved.has(first.toLowerCase()) && typeOf(path) === undefined
}

/** A name that the build gave: a file in the folder, or in `assets`. Nothing else can be asked for, so nothing leads out. */
const fileName = /^\/(?:assets\/)?[\w-]+(?:\.[\w-]+)+$/

export const isFileOfPage = (path: string): boolean => fileName.test(path) && typeOf(path) !== undefined

/** The file of that path in the form that the browser takes; undefined where the build has none. */
export function builtFile(folder: string, path: string, accepts: string): BuiltFile | undefined {
  const type = typeOf(path)
  if (!isFileOfPage(path) || type === undefined) return undefined
  const forms = encodings.filter(({ name }) => takes(accepts, name))
  for (const { name, suffix } of [...forms, plain]) {
    const file = join(folder, `${path}${suffix}`)
    const stats = lstatSync(file, { throwIfNoEntry: false })
    if (!stats?.isFile()) continue
    const headers = {
      'Content-Type': type,
      'Content-Length': String(stats.size),
      Vary: 'Accept-Encoding',
      ...(name && { 'Content-Encoding': name }),
      ...(path.startsWith('/assets/') && { 'Cache-Control': 'public, max-age=31536000, immutable' }),
    }
    return { headers, open: () => Readable.toWeb(createReadStream(file)) as ReadableStream }
  }
  return undefined
}

/** Made by scripts/compress.ts when the page is built. */
const encodings = [{ name: 'br', suffix: '.br' }] as const
const plain = { name: '', suffix: '' } as const

const takes = (accepts: string, encoding: string): boolean =>
  accepts
    .toLowerCase()
    .split(',')
    .map((part) => part.trim().replaceAll(' ', ''))
    .some((part) => part === encoding || (part.startsWith(`${encoding};`) && !/;q=0(\.0*)?$/.test(part)))

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
}

const typeOf = (path: string): string | undefined => types[extname(path)]
