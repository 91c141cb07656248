import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { buildPackage } from '../../scripts/packed.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    program: string
  }
}

/** The program as it is published, built once for the whole run: it starts in half the time that its sources take. */
export default async function setup(project: TestProject): Promise<() => void> {
  const given = process.env.TROUPE_TEST_PROGRAM
  if (given !== undefined) {
    project.provide('program', given)
    return () => {}
  }
  const folder = mkdtempSync(join(tmpdir(), 'troupe-packed-'))
  project.provide('program', await buildPackage(folder))
  return () => rmSync(folder, { recursive: true, force: true })
}
