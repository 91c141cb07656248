import { execFileSync } from 'node:child_process'
import { existsSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolder, putFile } from '../kit/files.ts'
import { ask } from '../kit/http.ts'
import { createWorld, type World } from '../kit/world.ts'

const html = '<!doctype html><title>Troupe</title><script type="module" src="/assets/index-Ab_1-x.js"></script>'
const script = 'export const words = "words "\n'.repeat(200)

/** A page as the build leaves it, with a secret beside it. */
function builtPage(): string {
  const root = makeFolder()
  const page = join(root, 'web')
  putFile(join(root, 'secret.js'), 'a secret')
  putFile(join(page, 'index.html'), html)
  putFile(join(page, 'icon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>')
  putFile(join(page, 'assets', 'index-Ab_1-x.js'), script)
  putFile(join(page, 'assets', 'notes.txt'), 'not of the page')
  symlinkSync(join(root, 'secret.js'), join(page, 'assets', 'link.js'))
  execFileSync(process.execPath, [join(import.meta.dirname, '../../scripts/compress.ts'), page])
  return page
}

const get = (world: World, path: string, headers = {}, method = 'GET') =>
  ask({ port: world.port, path, method, headers })

const bytesOf = async (world: World, path: string, encoding: string): Promise<Buffer> =>
  Buffer.from(
    await (
      await fetch(`http://127.0.0.1:${world.port}${path}`, { headers: { 'accept-encoding': encoding } })
    ).arrayBuffer(),
  )

test('the page is served at every address that it makes, without a token, and its files for ever', async () => {
  const world = await createWorld({ page: builtPage() })
  for (const path of ['/', '/inbox', '/runs/run_1/board', '/sessions/abcd?at=3', '/agents/a%20b', '/index.html']) {
    const { status, text, headers } = await get(world, path)
    expect([path, status, text]).toEqual([path, 200, html])
    expect([headers['content-type'], headers['cache-control']]).toEqual(['text/html; charset=utf-8', 'no-store'])
  }
  const file = await get(world, '/assets/index-Ab_1-x.js')
  expect(file.text).toBe(script)
  expect(file.headers).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'public, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
    vary: 'Accept-Encoding',
  })
  expect((await get(world, '/icon.svg')).headers['content-type']).toBe('image/svg+xml')
  const head = await get(world, '/assets/index-Ab_1-x.js', {}, 'HEAD')
  expect([head.status, head.text, head.headers['content-length']]).toEqual([200, '', String(script.length)])
})

test('browsers get the compressed form that they take, and others the file itself', async () => {
  const world = await createWorld({ page: builtPage() })
  const path = '/assets/index-Ab_1-x.js'
  const encodingFor = async (accepts: string) =>
    (await get(world, path, { 'accept-encoding': accepts })).headers['content-encoding']
  expect(await encodingFor('gzip, deflate, br;q=1.0, zstd')).toBe('br')
  expect(await encodingFor('gzip, br;q=0')).toBeUndefined()
  expect(await encodingFor('identity, xbr')).toBeUndefined()
  expect((await get(world, '/icon.svg', { 'accept-encoding': 'br' })).headers['content-encoding']).toBeUndefined()
  // fetch undoes it by itself; what comes out is the file.
  expect((await bytesOf(world, path, 'br')).toString()).toBe(script)
  expect((await bytesOf(world, path, 'gzip')).toString()).toBe(script)
})

test('nothing beside the page can be asked for, however the path is written', async () => {
  const world = await createWorld({ page: builtPage() })
  const paths = [
    '/assets/../secret.js',
    '/assets/..%2f..%2fsecret.js',
    '/assets/%2e%2e/%2e%2e/secret.js',
    '/../secret.js',
    '/..%5csecret.js',
    '/assets//secret.js',
    '/assets/link.js',
    '/assets/index-Ab_1-x.js.br',
    '/assets/index-Ab_1-x.js/',
    '/assets/notes.txt',
    '/assets/missing.js',
    '/assets/',
    '/assets',
    '/.env',
    '/.well-known/x',
    '/secret.js',
  ]
  for (const path of paths) {
    const { status, text } = await get(world, path)
    expect([path, status === 401 || status === 404, text.includes('secret"') || text === 'a secret']).toEqual([
      path,
      true,
      false,
    ])
  }
  for (const path of ['/api/nothing', '/API/status', '/v1/models', '/mcp', '/metrics', '/answer/x'])
    expect([path, (await get(world, path)).status]).toEqual([path, 401])
  for (const method of ['POST', 'PUT', 'DELETE']) expect((await get(world, '/', {}, method)).status).toBe(401)
})

test('the policy of the page lets its own scripts run and nothing that an agent could write', async () => {
  const world = await createWorld({ page: builtPage() })
  for (const path of ['/', '/runs/run_1', '/assets/index-Ab_1-x.js']) {
    const { headers } = await get(world, path)
    const policy = Object.fromEntries(
      String(headers['content-security-policy'])
        .split('; ')
        .map((line) => [line.split(' ')[0], line.split(' ').slice(1).join(' ')]),
    )
    expect(policy).toEqual({
      'default-src': "'none'",
      'script-src': "'self'",
      'style-src': "'self'",
      'img-src': "'self' data: blob:",
      'font-src': "'self'",
      'connect-src': "'self'",
      'worker-src': "'self'",
      'manifest-src': "'self'",
      'base-uri': "'none'",
      'form-action': "'none'",
      'frame-ancestors': "'none'",
      'require-trusted-types-for': "'script'",
      'trusted-types': 'troupe',
    })
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
    })
  }
})

test('where the page was not built, its address says how to build it', async () => {
  const page = join(makeFolder(), 'web')
  const world = await createWorld({ page })
  const { status, text } = await get(world, '/runs/run_1')
  expect([status, existsSync(page)]).toEqual([200, false])
  expect(text).toContain('npm run build:web')
  expect((await get(world, '/assets/index.js')).status).toBe(404)
})
