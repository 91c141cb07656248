import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { openSections } from '../../src/store/sections/sections.ts'
import { fileAt, queriesOf, textOf, writeFiles } from './files.ts'
import type { MemoryQuestion, MemoryTimes } from './job.ts'

const PER_FILE = 100
/** A fresh file is read again at every search until its stamp can be relied on. */
const SETTLED_MS = 2500

/** `node child.ts '{"folder":…,"sections":…}'`: builds an index and measures the bare query and ours in turn. */
const { folder, sections, searches, edits } = JSON.parse(process.argv[2] ?? '{}') as MemoryQuestion
const [memory, file] = [join(folder, 'memory'), join(folder, 'index.db')]
writeFiles(memory, sections, PER_FILE)
const index = openSections(file)
const search = async (query: string): Promise<number> => {
  const began = performance.now()
  const found = await index.ask({ ask: 'text', folders: [{ path: memory, without: [] }], query, limit: 10 })
  if (found.behind > 0) throw new Error(`${found.behind} files are not in the index`)
  return performance.now() - began
}
const began = performance.now()
while (
  (await index.ask({ ask: 'text', folders: [{ path: memory, without: [] }], query: 'word1', limit: 1 })).behind > 0
);
const buildMs = performance.now() - began
await delay(SETTLED_MS)
await search('word1')

const db = new DatabaseSync(file, { readOnly: true })
const select = db.prepare('select rowid from texts where texts match ? order by rank limit 10')
const bareSearch = (query: string): number => {
  const before = performance.now()
  const rows = select.all(query.split(' ').join(' OR '))
  if (rows.length === 0) throw new Error(`nothing has ${query}`)
  return performance.now() - before
}
const bare: number[] = []
const ours: number[] = []
for (const query of queriesOf(searches)) {
  bare.push(bareSearch(query))
  ours.push(await search(query))
}
const edited: number[] = []
for (let edit = 0; edit < edits; edit++) {
  const mark = `needle${edit}`
  writeFileSync(fileAt(memory, edit), `${textOf(edit, PER_FILE)}\n# ${mark}\n${mark}\n`)
  edited.push(await search(mark))
}
db.close()
await index.close()
process.stdout.write(`${JSON.stringify({ bare, ours, edited, buildMs } satisfies MemoryTimes)}\n`)
