import { chmodSync, existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolder, putFile } from '../../../test/kit/files.ts'
import { ask } from '../../../test/kit/http.ts'
import { troupe, troupeWith } from '../../../test/kit/program.ts'
import { createWorld, type World } from '../../../test/kit/world.ts'

const signIn = (world: World, link: string) =>
  ask(
    { port: world.port, path: '/api/login', method: 'POST', headers: { 'content-type': 'application/json' } },
    JSON.stringify({ code: new URLSearchParams(new URL(link).hash.slice(1)).get('code') }),
  )

test('"open" prints a link that signs in once, and a link preview that fetches it does not use it up', async () => {
  const world = await createWorld()
  const link = (await troupe(world, 'open')).trim()
  expect(link).toMatch(new RegExp(`^${world.server.url}/#code=[0-9a-f]{32}$`))
  expect((await fetch(link)).status).toBe(200)
  expect([(await signIn(world, link)).status, (await signIn(world, link)).status]).toEqual([200, 401])
  expect(await troupe(world, 'status')).toContain(`${world.server.url}/  ("troupe open"`)
})

test('where there is a browser it is given the link in a file of the person alone, and not as an argument', async () => {
  const world = await createWorld()
  const bin = makeFolder()
  const given = join(bin, 'given')
  putFile(join(bin, 'xdg-open'), `#!/bin/sh\necho "$1" > "${given}.new" && mv "${given}.new" "${given}"\n`)
  chmodSync(join(bin, 'xdg-open'), 0o755)
  const display = { PATH: `${bin}:${process.env.PATH}`, DISPLAY: ':0' }
  const link = (await troupeWith(world, display, 'open')).trim()
  const file = join(world.home, 'open.html')
  const address = await world.eventually(async () => existsSync(given) && readFileSync(given, 'utf8').trim())
  expect(address).toBe(`file://${file}`)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readFileSync(file, 'utf8')).toContain(`url=${link}"`)
  await troupeWith(world, { ...display, SSH_CONNECTION: 'somewhere' }, 'open')
  await troupeWith(world, display, 'open', '--print')
  expect(readFileSync(file, 'utf8')).toContain(`url=${link}"`)
})
