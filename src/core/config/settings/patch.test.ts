import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Folders, makeFolders } from '../../../../test/kit/folders.ts'
import { effectiveSettings, patchSettings, settingsWithSources } from './effective.ts'

const settingsOf = async ({ core, project }: Folders) => (await effectiveSettings(core, project)).settings
const problemsOf = async ({ core, project }: Folders) => (await effectiveSettings(core, project)).problems

test('a patch keeps comments, sets and removes, and is private in home', async () => {
  const folders = makeFolders()
  const file = folders.putHome(
    'settings.json',
    '{\n  // my model\n  "defaultModel": "a/b",\n  "titles": "model" // nice\n}\n',
  )
  await patchSettings(folders.core, folders.project, 'home', {
    defaultModel: 'c/d',
    'limits.maxIterations': 7,
    titles: null,
  })
  const text = readFileSync(file, 'utf8')
  expect(text).toMatch('// my model')
  expect(text).not.toMatch('titles')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(await settingsOf(folders)).toMatchObject({
    defaultModel: 'c/d',
    limits: { maxIterations: 7 },
    titles: 'first-line',
  })
})

test('a patch makes a file that was not there, in the place that was named', async () => {
  const folders = makeFolders()
  await patchSettings(folders.core, folders.project, 'project-local', { 'permissions.deny': ['bash'] })
  expect(JSON.parse(readFileSync(join(folders.project.path, '.troupe/settings.local.json'), 'utf8'))).toEqual({
    permissions: { deny: ['bash'] },
  })
})

test('a patch with a wrong key or value writes nothing and names it', async () => {
  const folders = makeFolders()
  const file = folders.putHome('settings.json', '{ "titles": "model" }')
  const patch = (changes: Record<string, unknown>) => patchSettings(folders.core, folders.project, 'home', changes)
  await expect(patch({ sandbox: 'none', titles: 'first-line' })).rejects.toMatchObject({
    code: 'settings.invalid',
    message: expect.stringMatching('sandbox'),
  })
  await expect(patch({ tittles: 'model' })).rejects.toMatchObject({
    code: 'settings.invalid',
    message: expect.stringMatching('tittles'),
  })
  await expect(patch({ 'a b': 1 })).rejects.toMatchObject({ code: 'settings.invalid' })
  await expect(patch({ 'titles.x': 1 })).rejects.toMatchObject({ code: 'settings.invalid' })
  expect(readFileSync(file, 'utf8')).toBe('{ "titles": "model" }')
})

test('a patch repairs a file key by key, and leaves one that is not JSON to the person', async () => {
  const folders = makeFolders()
  folders.putHome('settings.json', { sandbox: 'none', titles: 'long' })
  await patchSettings(folders.core, folders.project, 'home', { sandbox: 'off' })
  await patchSettings(folders.core, folders.project, 'home', { titles: null })
  expect(await problemsOf(folders)).toEqual([])
  const file = folders.putHome('settings.json', '{ "titles": ')
  await expect(patchSettings(folders.core, folders.project, 'home', { sandbox: 'off' })).rejects.toMatchObject({
    code: 'settings.invalid',
  })
  expect(readFileSync(file, 'utf8')).toBe('{ "titles": ')
})

test('lists of settings do not show secrets', () => {
  const folders = makeFolders({ env: { TROUPE_DATABASE_URL: 'postgres://me:SECRET@db/x' } })
  folders.putHome('settings.json', {
    providers: { a: { apiKey: 'SECRET', headers: { 'x-key': 'SECRET' } }, b: { apiKey: '$B_KEY' } },
    channels: {
      to: {
        team: { type: 'webhook', url: 'https://hooks.example.org/SECRET' },
        post: { type: 'email', host: 'mail', user: 'me', password: 'SECRET', from: 'a@b.c', to: 'd@e.f' },
      },
    },
  })
  const shown = JSON.stringify(settingsWithSources(folders.core, folders.project))
  expect(shown).not.toMatch('SECRET')
  expect(shown).toMatch('$B_KEY')
  expect(shown).toMatch('postgres://me:(hidden)@db/x')
})
