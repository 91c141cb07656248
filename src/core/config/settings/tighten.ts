import type { Problem } from '../../../contract/agents.ts'
import { providerKeys } from '../../../contract/settings.ts'
import type { Core } from '../../base/index.ts'
import type { Leaves } from './leaves.ts'

const sandboxes = ['off', 'workspace', 'strict']

/** The part that still counts of a file the person has not agreed to: what makes things stricter, never looser. */
export function tightening(leaves: Leaves, personal: Leaves, env: Core['env']): Leaves {
  return new Map([...leaves].filter(([key, value]) => tightens(key, value, personal, env)))
}

function tightens(key: string, value: unknown, personal: Leaves, env: Core['env']): boolean {
  if (key === 'permissions.deny' || key === 'permissions.ask') return true
  if (key.startsWith('limits.')) return isLower(value, personal.get(key))
  if (key === 'sandbox') return sandboxes.indexOf(String(value)) > sandboxes.indexOf(String(personal.get(key) ?? 'off'))
  if (key === 'defaultModel' || key === 'smallModel') return isOwnModel(String(value), personal, env)
  return false
}

export function whyWithheld(key: string, value: unknown): Pick<Problem, 'message' | 'needs'> {
  const untrusted = {
    message: 'has no effect until you trust this project with "troupe trust"',
    needs: 'trust',
  } as const
  if (key !== 'defaultModel' && key !== 'smallModel') return untrusted
  const variable = providerKeys[String(value).split('/')[0] ?? '']
  return variable ? { message: `has no effect until ${variable} is set` } : untrusted
}

/** No limit at all counts as the highest limit. */
export const isLower = (value: unknown, than: unknown): boolean =>
  typeof value === 'number' && (typeof than !== 'number' || value < than)

/** Whether the person has the model's provider anyway. */
function isOwnModel(model: string, personal: Leaves, env: Core['env']): boolean {
  const provider = model.split('/')[0] ?? ''
  const key = Object.hasOwn(providerKeys, provider) ? providerKeys[provider] : undefined
  return provider === 'demo' || personal.has(`providers.${provider}`) || Boolean(key && env[key])
}
