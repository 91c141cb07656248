import { readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { FileView, FolderView, Uploaded } from '../../src/contract/files.ts'
import { UPLOAD_BYTES } from '../../src/contract/files.ts'
import { makeFolder, putFile } from '../kit/files.ts'
import { securityLog } from '../kit/records.ts'
import { createWorld, type World } from '../kit/world.ts'

const png = Buffer.from('iVBORw0KGgo=', 'base64')
const key = 'sk-ant-a-secret-that-is-long'

async function garden(): Promise<World> {
  const world = await createWorld({ env: { ANTHROPIC_API_KEY: key } })
  const outside = makeFolder()
  putFile(join(outside, 'diary.txt'), 'my diary')
  putFile(join(world.project, 'notes.md'), `# Notes\nThe key is ${key}.\n`)
  putFile(join(world.project, 'pictures', 'a.png'), png)
  putFile(join(world.project, 'pictures', 'drawing.svg'), '<svg onload="alert(1)"/>')
  putFile(join(world.project, 'program'), Buffer.from([127, 0, 1]))
  putFile(join(world.project, '.env'), 'PASSWORD=hunter2')
  putFile(join(world.project, '.git', 'config'), '[core]')
  symlinkSync(outside, join(world.project, 'away'))
  symlinkSync('.env', join(world.project, 'plain.txt'))
  return world
}

const look = (world: World, route: string, path: string) =>
  world.call('GET', `/api/${route}?path=${encodeURIComponent(path)}`)

test('a person sees the folders of a project, its texts with secrets masked, and its images', async () => {
  const world = await garden()
  const folder: FolderView = (await look(world, 'files', '.')).json
  expect(folder.items.map(({ name, kind }) => `${kind} ${name}`)).toEqual(
    expect.arrayContaining(['folder pictures', 'file notes.md', 'link away', 'file .env']),
  )
  expect(folder.items.filter((item) => item.protected).map(({ name }) => name)).toEqual(
    expect.arrayContaining(['.git', '.env', '.troupe']),
  )
  const { items } = (await look(world, 'files', 'pictures')).json as FolderView
  expect(items.map(({ path }) => path)).toEqual(['pictures/a.png', 'pictures/drawing.svg'])

  const notes: FileView = (await look(world, 'file', 'notes.md')).json
  expect(notes).toMatchObject({ path: 'notes.md', mediaType: 'text/plain', text: expect.stringContaining('# Notes') })
  expect(notes.text).not.toContain(key)
  const picture: FileView = (await look(world, 'file', 'pictures/a.png')).json
  expect(picture).toMatchObject({ mediaType: 'image/png', data: png.toString('base64') })
  const drawing: FileView = (await look(world, 'file', 'pictures/drawing.svg')).json
  expect([drawing.mediaType, drawing.data]).toEqual(['text/plain', undefined])
  const program: FileView = (await look(world, 'file', 'program')).json
  expect(program).toEqual({ path: 'program', size: 3, mediaType: 'application/octet-stream' })
})

test('nothing outside the project and nothing protected is shown, by whatever way it is named', async () => {
  const world = await garden()
  const refusals: Record<string, [string, number]> = {
    '../': ['files', 403],
    away: ['files', 403],
    'away/diary.txt': ['file', 403],
    '/etc/passwd': ['file', 403],
    '../../etc/passwd': ['file', 403],
    [join(world.home, 'token')]: ['file', 403],
    '.env': ['file', 403],
    'plain.txt': ['file', 403],
    '.git/config': ['file', 403],
    '.GIT': ['files', 403],
    '.troupe': ['files', 403],
    pictures: ['file', 400],
    'missing.txt': ['file', 404],
  }
  for (const [path, [route, status]] of Object.entries(refusals)) {
    const answer = await look(world, route, path)
    expect([path, answer.status]).toEqual([path, status])
    expect(answer.text).not.toMatch(/hunter2|my diary|root:/)
  }
  putFile(join(world.project, 'long.txt'), 'x'.repeat(1024 * 1024 + 1))
  const long = await look(world, 'file', 'long.txt')
  expect([long.status, long.json.error.hint]).toEqual([400, expect.stringContaining('1 MB')])
})

test('what a person hands over lies in the workspace under a name of its own, and overwrites nothing', async () => {
  const world = await garden()
  const session = await world.session({ agent: 'assistant' })
  const put = (name: string, data: Buffer | string = png) =>
    world.call('POST', `/api/sessions/${session.handle}/uploads`, {
      body: { name, data: Buffer.from(data).toString('base64') },
    })
  const paths: string[] = []
  for (const name of ['a b.png', 'a b.png', 'notes']) paths.push(((await put(name)).json as Uploaded).path)
  expect(paths).toEqual(['uploads/a b.png', 'uploads/a b-2.png', 'uploads/notes'])
  expect(readFileSync(join(world.project, 'uploads', 'a b-2.png'))).toEqual(png)
  const seen = await world.call('GET', `/api/file?session=${session.id}&path=uploads/notes`)
  expect(seen.status).toBe(200)
  expect(securityLog(world)).toContain('uploads/notes')

  for (const name of ['../a.png', 'a/b.png', '.env', '.mcp.json', 'a\\b', 'a\nb', ' a', ''])
    expect([name, (await put(name)).status]).toEqual([name, 400])
  const large = Buffer.alloc(2 * 1024 * 1024, 1)
  expect((await put('large.bin', large)).json).toEqual({ path: 'uploads/large.bin', size: large.length })
  expect((await put('huge.bin', Buffer.alloc(UPLOAD_BYTES + 1))).status).toBe(413)
  expect((await put('beyond.bin', Buffer.alloc(UPLOAD_BYTES * 2))).status).toBe(413)
  const other = await world.call('POST', `/api/sessions/${session.id}/messages`, {
    body: { content: 'x'.repeat(1024 * 1024) },
  })
  expect([other.status, other.json.error.message]).toEqual([413, 'The body is larger than 1 MiB.'])
})

test('a link in the place of the folder for uploads leads nothing out of the workspace', async () => {
  const world = await garden()
  const outside = makeFolder()
  symlinkSync(outside, join(world.project, 'uploads'))
  const session = await world.session({ agent: 'assistant' })
  const body = { name: 'a.txt', data: Buffer.from('a').toString('base64') }
  expect((await world.call('POST', `/api/sessions/${session.id}/uploads`, { body })).status).toBe(403)
})
