import { lstat, opendir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileError } from './paths.ts'
import { openFolderInside } from './workspace-files.ts'

interface FolderEntry {
  readonly name: string
  readonly kind: 'folder' | 'file' | 'link' | 'other'
  readonly size: number
  readonly changedAt: number
}

/** What is in a folder below a root, folders first; links are named and not followed. `cut`: there is more than is listed. */
export async function entriesInside(
  root: string,
  path: string,
  limit: number,
): Promise<{ real: string; entries: FolderEntry[]; cut: boolean }> {
  const folder = await openFolderInside(root, path)
  try {
    const entries: FolderEntry[] = []
    for await (const { name } of await opendir(folder.path)) {
      if (entries.length === limit) return { real: folder.real, entries: sorted(entries), cut: true }
      const stats = await lstat(join(folder.path, name)).catch(() => undefined)
      if (stats) entries.push({ name, kind: kindOf(stats), size: stats.size, changedAt: stats.mtimeMs })
    }
    return { real: folder.real, entries: sorted(entries), cut: false }
  } catch (error) {
    throw fileError(error, path)
  } finally {
    await folder.handle.close()
  }
}

const kindOf = (stats: Awaited<ReturnType<typeof lstat>>): FolderEntry['kind'] =>
  stats.isDirectory() ? 'folder' : stats.isFile() ? 'file' : stats.isSymbolicLink() ? 'link' : 'other'

const sorted = (entries: FolderEntry[]): FolderEntry[] =>
  entries.sort(
    (a, b) => Number(b.kind === 'folder') - Number(a.kind === 'folder') || a.name.localeCompare(b.name, 'en'),
  )
