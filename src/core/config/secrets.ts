import { asObject } from '../../lib/json.ts'
import { createMask, type Mask, passwordIn, secretsIn } from '../../lib/mask.ts'
import { personalLayers, type ReadLayer, type Sources } from './settings/layers.ts'
import { type Leaves, leavesOf } from './settings/leaves.ts'

/** Tells the mask about the settings of a project, which may hold keys of its own. */
export type Learn = (projectId: string, settings: object) => void

/**
 * Hides what this server knows to be secret: keys in its environment, in the person's settings and in those of the
 * projects it has worked in, and its own token.
 */
export function maskOf(core: Sources, token: string): { readonly mask: Mask; readonly learn: Learn } {
  const fixed = [...secretsIn(core.env), token]
  const learned = new Map<string, object>()
  let layers: readonly ReadLayer[] = []
  let secrets: readonly string[] = fixed
  let looked = false
  const learn: Learn = (projectId, settings) => {
    if (learned.get(projectId) === settings) return
    learned.set(projectId, settings)
    layers = []
    looked = false
  }
  const mask = createMask(() => {
    // The files are read once per turn of the event loop: a commit masks many texts, and no file changes meanwhile.
    if (looked) return secrets
    looked = true
    setImmediate(() => {
      looked = false
    }).unref()
    const found = personalLayers(core)
    if (found.some((layer, at) => layer !== layers[at])) {
      layers = found
      const leaves = [
        ...layers.map((layer) => layer.leaves),
        ...[...learned.values()].map((settings) => leavesOf(settings)),
      ]
      secrets = [...fixed, ...leaves.flatMap(secretsOf).flatMap((text) => secretIn(text, core.env))]
    }
    return secrets
  })
  return { mask, learn }
}

const secretsOf = (leaves: Leaves): string[] =>
  [...leaves].flatMap(([key, value]) => {
    if (key === 'store.url') return passwordIn(String(value))
    // Whoever knows the address of an incoming webhook can write there.
    if (key.startsWith('channels.to.')) return textsIn({ ...asObject(value), secret: asObject(value).url }, false)
    return /^(providers|accounts|mcpServers|channels|webSearch)\b/.test(key) ? textsIn(value, false) : []
  })

/** "$NAME" is no secret: it says where one is, whatever that variable is called. */
function secretIn(text: string, env: Sources['env']): string[] {
  if (!text.startsWith('$')) return [text]
  const value = env[text.slice(1)]
  return value ? [value, ...words(value)] : []
}

/** The texts of keys and headers, at any depth. */
function textsIn(value: unknown, secret: boolean): string[] {
  if (typeof value === 'string') return secret ? [value, ...words(value)] : passwordIn(value)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, one]) =>
    name === 'env'
      ? variablesIn(one)
      : textsIn(one, (secret && !harmless.test(name)) || /key|token|secret|passw|headers|env|auth/i.test(name)),
  )
}

/** Of the variables that a program is given, those are no secrets that are ordinary words, numbers or paths. */
function variablesIn(given: unknown): string[] {
  const texts = Object.entries(asObject(given)).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  )
  return [
    ...secretsIn(Object.fromEntries(texts)),
    ...texts.map(([, text]) => text).filter((text) => !ordinary.test(text)),
  ]
}

const ordinary = /^(?:[a-z]+(?:[-_ ,][a-z]+)*|[/~.].*|[\d.]*|https?:\/\/[^@]*)$/i

/** Headers that name the client in ordinary words, which would otherwise be masked wherever they occur. */
const harmless = /^(?:(?:http-)?referer|x-title|user-agent|accept.*|content-.*|.*-version|.*-beta)$/i

/** "Bearer abc": the second word is the secret. */
const words = (text: string): string[] => /^(?:bearer|basic|token)\s+(\S+)$/i.exec(text)?.slice(1) ?? []
