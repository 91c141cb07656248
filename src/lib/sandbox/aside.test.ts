import { existsSync, mkdirSync, readdirSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolder } from '../../../test/kit/files.ts'
import { listAsides, retireAside } from './aside.ts'

const DAY_S = 24 * 3600

test('of what was denied twenty sets stay, and whatever lies there for thirty days is removed', () => {
  const root = makeFolder()
  for (let at = 0; at < 22; at += 1) {
    mkdirSync(join(root, `set${at}`))
    retireAside(root, `set${at}`)
  }
  const [older, newer, ...others] = readdirSync(root)
  expect(others).toHaveLength(18)

  mkdirSync(join(root, 'waiting'))
  const age = (name: string, days: number) =>
    utimesSync(join(root, name), Date.now() / 1000, Date.now() / 1000 - days * DAY_S)
  age(older!, 31)
  age(newer!, 29)
  age('waiting', 31)
  expect(listAsides(root)).toEqual([])
  expect([older!, newer!, 'waiting'].map((name) => existsSync(join(root, name)))).toEqual([false, true, false])
})
