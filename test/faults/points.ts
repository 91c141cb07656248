import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const source = fileURLToPath(new URL('../../src', import.meta.url))
const points = /\bcrashPoint\(\s*'([\w.-]+)'\s*\)/g
const transactions = /\b(?:transact|asRunner|asTurn|onSession|changed)\(\s*(?:[\w.!]+,\s*)+'([\w.-]+)'/g

/** Every place in the source at which a crash can be asked for, by name. */
export function namesInSource(): string[] {
  const names = new Set<string>()
  for (const file of readdirSync(source, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts') || file.endsWith('.test.ts')) continue
    const text = readFileSync(join(source, file), 'utf8')
    for (const [, name] of text.matchAll(points)) names.add(name!)
    for (const [, name] of text.matchAll(transactions)) names.add(`${name}.before-commit`).add(`${name}.after-commit`)
  }
  return [...names].toSorted()
}

/** The points that a run passed since it first passed this one, in order, as `name:n`. */
export function pointsIn(recordFile: string, since: string): string[] {
  const times = new Map<string, number>()
  const passed = readFileSync(recordFile, 'utf8').split('\n').filter(Boolean)
  return passed
    .slice(passed.indexOf(since) + 1)
    .filter((name) => !name.startsWith(since.slice(0, since.lastIndexOf('.'))))
    .map((name) => {
      times.set(name, (times.get(name) ?? 0) + 1)
      return `${name}:${times.get(name)}`
    })
}
