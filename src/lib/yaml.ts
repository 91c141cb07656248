import { dump, load, YAMLException } from 'js-yaml'

/** What there is to say in front of a text is short; the time that reading takes grows with it. */
export const YAML_CHARS = 16 * 1024
const DEPTH = 20

/**
 * YAML of somebody else, and what is wrong with it. What stands for something else (`*name`) is refused: a few lines of it
 * can mean more than there is memory for.
 */
export function readYaml(text: string): { readonly value: unknown } | { readonly problem: string } {
  if (text.length > YAML_CHARS) return { problem: `it is longer than ${YAML_CHARS / 1024} KB` }
  if (text.split('\n').every((line) => /^\s*(#|$)/.test(line))) return { value: undefined }
  try {
    return { value: load(text, { maxAliases: 0, maxDepth: DEPTH }) }
  } catch (error) {
    return { problem: inWords(error) }
  }
}

export const writeYaml = (value: object): string => dump(value, { lineWidth: -1 })

function inWords(error: unknown): string {
  if (!(error instanceof YAMLException)) return 'is not YAML'
  return error.mark === undefined ? error.reason : `${error.reason} at line ${error.mark.line + 1}`
}
