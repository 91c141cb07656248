import { providerKeys } from '../../contract/settings.ts'
import type { Welcome } from '../../contract/welcome.ts'
import { findProgram } from '../../lib/process/programs.ts'
import type { Core, Project } from '../base/index.ts'
import { effectiveSettings } from '../config/index.ts'

const programs = ['claude', 'codex', 'gemini', 'opencode', 'aider', 'goose', 'cursor-agent']
const DEMO = 'demo/demo'

/** What was found for somebody who comes here for the first time. Looks only: no program is started. */
export async function welcome(core: Core, project: Project): Promise<Welcome> {
  const { settings } = await effectiveSettings(core, project)
  const models = await core.models.list(project)
  const defaultModel = settings.defaultModel ?? (await core.models.defaultModel(project))
  return {
    keys: Object.entries(providerKeys).flatMap(([provider, variable]) =>
      core.env[variable] ? [{ provider, variable }] : [],
    ),
    localModels: models.flatMap(({ name, provider, usable }) => (provider === 'ollama' && usable ? [name] : [])),
    programs: programs.filter((name) => findProgram(name, core.env) !== undefined),
    defaultModel,
    thinks: !defaultModel.startsWith('demo/'),
    demo: { goal: 'Find out how to keep notes that a whole team can use', model: DEMO },
  }
}
