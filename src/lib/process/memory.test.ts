import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { givesBack } from './memory.ts'

const file = fileURLToPath(new URL('./memory.ts', import.meta.url))
const script = `
  const { giveBackAfterStart } = await import(${JSON.stringify(file)})
  let kept = []
  for (let at = 0; at < 2e6; at++) kept.push({ at })
  kept = []
  for (let at = 0; at < 2e6; at++) kept[at % 1000] = { at }
  const { heapTotal: before } = process.memoryUsage()
  giveBackAfterStart(1)
  // Timers ring in the order of their times.
  setTimeout(() => console.log(JSON.stringify([before, process.memoryUsage().heapTotal])), 20)`

const heaps = (flags: readonly string[]): [number, number] =>
  JSON.parse(execFileSync(process.execPath, [...flags, '--input-type=module', '--eval', script], { encoding: 'utf8' }))

test('a process that was started for it gives back what garbage had made large, and another lives on as it is', () => {
  const [before, after] = heaps(givesBack)
  expect(after).toBeLessThan(before / 2)
  const [large, same] = heaps([])
  expect(same).toBeGreaterThan(large / 2)
})
