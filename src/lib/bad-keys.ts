const BAD = new Set(['__proto__', 'constructor', 'prototype'])

/** Where JSON from outside has keys that mean something to the language itself; nothing of ours is called like them. */
export function badKeys(root: unknown): string[][] {
  const found: string[][] = []
  const open: { value: unknown; path: string[] }[] = [{ value: root, path: [] }]
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (typeof at.value !== 'object' || at.value === null) continue
    for (const [key, value] of Object.entries(at.value)) {
      const path = [...at.path, key]
      if (BAD.has(key)) found.push(path)
      else open.push({ value, path })
    }
  }
  return found
}

/** Whether it is worth looking: most texts have none of the words, nor escapes that could spell them. */
export const mayHaveBadKeys = (json: string): boolean => /__proto__|constructor|prototype|\\u/.test(json)
