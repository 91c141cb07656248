import { join } from 'node:path'
import type { Core } from '../../src/core/base/core.ts'
import { createBus } from '../../src/core/base/events.ts'
import { memoryScope } from '../../src/core/memory/scopes.ts'
import { writeMemory } from '../../src/core/memory/write.ts'
import { openSqlite } from '../../src/store/drivers/sqlite.ts'

/**
 * `node appender.ts '{"home":…,"shared":…,"name":…,"lines":…}'`: a process with a database of its own that appends
 * lines to the memory of a folder that others write to as well.
 */
const { home, shared, name, lines } = JSON.parse(process.argv[2] ?? '{}') as {
  home: string
  shared: string
  name: string
  lines: number
}
const clock = { now: () => Date.now() }
const store = await openSqlite({ file: join(home, `${name}.db`), durability: 'process', now: clock.now })
const mask = (text: string): string => text
const core = { store, clock, mask, home: shared, host: name, bus: createBus() } as unknown as Core
const project = { id: 'p', path: shared }
const scope = memoryScope(core, project, 'user')
for (let line = 0; line < lines; line++) {
  const change = {
    path: line % 3 === 0 ? 'other.md' : 'MEMORY.md',
    content: `${name} ${line}`,
    mode: 'append',
  } as const
  await writeMemory(core, project, scope, change, { id: `${name}-${line}` })
}
await store.close()
