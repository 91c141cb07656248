import type { Source } from './sources.ts'

/** The list of seams: a `Core` has each of them, and what they do takes a `Core`. It holds types only. */
const SEAMS = 'src/core/base/core.ts'

/** Each cycle of imports, once. */
export function cyclesOf(sources: readonly Source[]): string[] {
  const imports = new Map(
    sources.map(({ file, imports: list }) => [
      file,
      list.filter(({ to, typeOnly }) => !(to === SEAMS && typeOnly && file.startsWith('src/core/base/'))),
    ]),
  )
  const state = new Map<string, 'open' | 'done'>()
  const path: string[] = []
  const found: string[] = []
  const visit = (file: string): void => {
    if (state.get(file) === 'done') return
    if (state.get(file) === 'open') {
      found.push([...path.slice(path.indexOf(file)), file].join(' → '))
      return
    }
    state.set(file, 'open')
    path.push(file)
    for (const { to } of imports.get(file) ?? []) visit(to)
    path.pop()
    state.set(file, 'done')
  }
  for (const { file } of sources) visit(file)
  return found
}
