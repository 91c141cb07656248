import { mkdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolders } from '../../../test/kit/folders.ts'
import { findProject } from './projects.ts'

test('a folder belongs to the nearest parent with .troupe', () => {
  const { core, project, put } = makeFolders()
  put('packages/.git/HEAD', '')
  const deep = dirname(put('packages/one/index.js', ''))
  expect(findProject(core.home, deep)).toEqual(project)
})

test('the data folder does not make its parent a project', () => {
  const { core } = makeFolders()
  const person = dirname(core.home)
  mkdirSync(join(person, 'notes'))
  expect(findProject(core.home, join(person, 'notes')).path).toBe(join(person, 'notes'))
})

test('without .troupe the git root is the project, and without git the folder itself', () => {
  const { core, project } = makeFolders()
  const outside = join(dirname(project.path), 'outside')
  mkdirSync(join(outside, 'repo', '.git'), { recursive: true })
  mkdirSync(join(outside, 'repo', 'src'))
  mkdirSync(join(outside, 'plain'))
  expect(findProject(core.home, join(outside, 'repo', 'src')).path).toBe(join(outside, 'repo'))
  expect(findProject(core.home, join(outside, 'plain')).path).toBe(join(outside, 'plain'))
})

test('worktrees and runs belong to the project around them, even when they hold a .troupe of their own', () => {
  const { core, project, put } = makeFolders()
  for (const inner of ['worktrees/a', 'runs/r1/files']) {
    put(`.troupe/${inner}/.troupe/settings.json`, {})
    const folder = join(project.path, '.troupe', inner)
    expect(findProject(core.home, join(folder, '.troupe'))).toEqual(project)
    expect(findProject(core.home, folder)).toEqual(project)
  }
})

test('the same folder reached by a link is the same project', () => {
  const { core, project } = makeFolders()
  const link = join(dirname(project.path), 'link')
  symlinkSync(project.path, link)
  expect(findProject(core.home, link)).toEqual(project)
  expect(project.id).toMatch(/^[0-9a-f]{16}$/)
})

test('a folder that is not there is refused by name', () => {
  const { core, project } = makeFolders()
  const missing = join(project.path, 'nowhere')
  for (const folder of [missing, `${project.path}\0`, 'x'.repeat(5000)])
    expect(() => findProject(core.home, folder)).toThrow(expect.objectContaining({ code: 'project.not_found' }))
  expect(() => findProject(core.home, missing)).toThrow(missing)
})
