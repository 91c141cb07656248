import { createMask, type Mask, passwordIn, secretsIn } from '../lib/mask.ts'
import { personalLayers, type ReadLayer, type Sources } from './settings/layers.ts'

/** Hides what this server knows to be secret: keys in its environment and in the person's settings, and its own token. */
export function maskOf(core: Sources, token: string): Mask {
  const fixed = [...secretsIn(core.env), token]
  let layers: readonly ReadLayer[] = []
  let secrets: readonly string[] = fixed
  let looked = false
  return createMask(() => {
    // Once in a turn of the event loop: a commit masks many texts, and no file changes between them.
    if (looked) return secrets
    looked = true
    setImmediate(() => {
      looked = false
    }).unref()
    const found = personalLayers(core)
    if (found.some((layer, at) => layer !== layers[at])) {
      layers = found
      secrets = [...fixed, ...layers.flatMap(secretsOf)]
    }
    return secrets
  })
}

const secretsOf = ({ leaves }: ReadLayer): string[] =>
  [...leaves].flatMap(([key, value]) => {
    if (key === 'store.url') return passwordIn(String(value))
    return /^(providers|accounts|mcpServers|channels|webSearch)\b/.test(key) ? textsIn(value, false) : []
  })

/** Keys and headers, wherever they are; "$NAME" only says where a key is. */
function textsIn(value: unknown, secret: boolean): string[] {
  if (typeof value === 'string') return secret && !value.startsWith('$') ? [value, ...words(value)] : passwordIn(value)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, one]) =>
    textsIn(one, secret || /key|token|secret|passw|headers|env|auth/i.test(name)),
  )
}

/** "Bearer abc": the word after the first is the secret. */
const words = (text: string): string[] => text.split(/\s+/).slice(1)
