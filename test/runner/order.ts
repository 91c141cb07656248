import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Files that take longest, mostly by waiting, begin first, because a run ends with its last file. Vitest sorts so by
 * itself only where it has measured the durations before.
 */
const slow = [
  /^test\/faults\/(crash|runs)/,
  /^test\/(e2e\/page-looks|faults|runner|mutants|package)/,
  /^test\/security\/(shell-observed|protected)/,
  /^test\/scenarios\/(events|models|loops|ask-graphs|restore|large-boards)/,
  /^src\/cli\//,
]

export default class extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const known = await super.sort(files)
    return known.toSorted((a, b) => rank(a) - rank(b))
  }
}

function rank({ moduleId, project }: TestSpecification): number {
  const path = moduleId.slice(project.config.root.length + 1)
  const at = slow.findIndex((pattern) => pattern.test(path))
  return at === -1 ? slow.length : at
}
