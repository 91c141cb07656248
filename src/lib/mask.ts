const SHORTEST = 8
const secretName = /key|token|secret|password|credential|database_url/i

/** Replaces the values of variables that look like secrets. Best effort: what it does not know it cannot hide. */
export function maskFor(env: Readonly<Record<string, string | undefined>>): (text: string) => string {
  const values = Object.entries(env)
    .filter(([name, value]) => secretName.test(name) && value !== undefined && value.length >= SHORTEST)
    .map(([, value]) => value!)
  return (text) => values.reduce((masked, value) => masked.replaceAll(value, '[secret]'), text)
}
