import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const folder = fileURLToPath(new URL('../../web/src/styles/', import.meta.url))

/** The classes that a file styles wherever they stand, and not only inside something of its own. */
function bareClasses(css: string): ReadonlySet<string> {
  const selectors = css
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .matchAll(/([^{}]+)\{/g)
    .flatMap(([, all]) => all!.split(',').map((one) => one.trim()))
  return new Set(selectors.filter((one) => /^\.[\w-]+(:[\w-]+)?$/.test(one)).map((one) => one.split(':')[0]!))
}

test('no view styles what another view styles: the files of both stay loaded, in the order of the visits', () => {
  const views = readdirSync(folder).filter(
    (name) => !['tokens.css', 'parts.css', 'shell.css', 'views.css'].includes(name),
  )
  const owners = new Map<string, string[]>()
  for (const name of views)
    for (const one of bareClasses(readFileSync(`${folder}${name}`, 'utf8')))
      owners.set(one, [...(owners.get(one) ?? []), name])
  expect(owners.size).toBeGreaterThan(100)
  expect([...owners].filter(([, files]) => files.length > 1)).toEqual([])
})
