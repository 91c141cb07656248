import { lock } from '../lock.ts'

const locks = new Map<string, { run: ReturnType<typeof lock>; users: number }>()

/** Runs work on a file one at a time: two sessions that edit the same file would otherwise lose one of the edits. */
export async function exclusively<T>(file: string, work: () => Promise<T>): Promise<T> {
  const entry = locks.get(file) ?? { run: lock(), users: 0 }
  locks.set(file, entry)
  entry.users += 1
  try {
    return await entry.run(work)
  } finally {
    entry.users -= 1
    if (entry.users === 0) locks.delete(file)
  }
}
