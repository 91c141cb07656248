import type { AccountInfo, Core, Project } from '../base/index.ts'

/** The credentials of every runtime in a project: names and states, never what is in them. */
export async function listAccounts(core: Core, project: Project): Promise<AccountInfo[]> {
  const lists = await Promise.all(Object.values(core.runtimes).map((runtime) => runtime.accounts(project)))
  return lists.flat()
}
